// Files and processes of this test process: gone when it ends, however it ends.
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { openOwnedDirectory } from '@kubernaut/control-plane';

let owned: ReturnType<typeof openOwnedDirectory> | undefined;

/** Where the processes are recorded. */
export async function scratchRoot(): Promise<string> {
	owned ??= openOwnedDirectory();
	return (await owned).path;
}

/** A fresh directory for files. */
export async function scratchDirectory(): Promise<string> {
	return mkdtempSync(join(await scratchRoot(), 'files-'));
}
