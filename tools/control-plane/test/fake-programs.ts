// Small shell scripts that stand in for installed programs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Needs no PATH of its own: only what the shell has built in may be used. */
export function writeProgram(path: string, script: string): string {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return path;
}

export function writeVersionProgram(path: string, versionText: string): string {
	return writeProgram(path, `echo '${versionText}'`);
}
