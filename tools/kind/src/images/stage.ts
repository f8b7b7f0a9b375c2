// One stage of the work: its result is a file in the cache, named by what went into it. A stage whose file is there is not
// done again, so a run that was interrupted goes on where it was.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { withFileLock } from '@kubernaut/workspace/file-lock';
import { startProgress } from '@kubernaut/workspace/progress';

export type StageOptions = { signal?: AbortSignal };

/** The result's path. */
export function stageFile(name: string, inputs: readonly string[], ending = 'tar'): string {
	const key = createHash('sha256').update(inputs.join('\n')).digest('hex').slice(0, 12);
	return join(cacheDirectory(), 'kind', 'images', `${name}-${process.arch}-${key}.${ending}`);
}

/** `make` gets a directory for its drafts, which goes when it ends, and must leave the result at its path in one step. */
export async function stage(
	what: string,
	file: string,
	make: (work: string, update: (detail: string) => void) => Promise<void>,
): Promise<string> {
	if (existsSync(file)) return file;
	mkdirSync(dirname(file), { recursive: true });
	return withFileLock(`${file}.lock`, async () => {
		if (existsSync(file)) return file; // another run made it meanwhile
		const progress = startProgress(what);
		const work = mkdtempSync(`${file}.work-`);
		try {
			await make(work, progress.update);
			progress.stop('done');
			return file;
		} finally {
			progress.stop('failed'); // the first end counts
			rmSync(work, { recursive: true, force: true, maxRetries: 5 });
		}
	});
}
