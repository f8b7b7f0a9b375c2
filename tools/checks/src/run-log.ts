// Everything that a run prints, in a file: the screen shows what a person needs, CI keeps the rest.
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { OutputLine } from './turbo.ts';

const DIRECTORY = 'test-results';
const KEPT_LOGS = 5;

type RunLog = { readonly path: string; write(line: OutputLine): void; close(): void };

/** Of earlier logs the newest are kept. `path` is relative to the root. */
export function openRunLog(root: string, now = new Date()): RunLog {
	const directory = join(root, DIRECTORY);
	mkdirSync(directory, { recursive: true });
	const earlier = readdirSync(directory).filter((name) => /^npm-test-.*\.log$/.test(name));
	for (const name of earlier.toSorted().slice(0, 1 - KEPT_LOGS)) rmSync(join(directory, name), { force: true });
	const path = join(directory, `npm-test-${now.toISOString().replaceAll(/[:.]/g, '-')}-${process.pid}.log`);
	const file = openSync(path, 'w');
	return {
		path: relative(root, path),
		write: ({ of, text }) => void writeSync(file, `${of === undefined ? '' : `${of.package} ${of.task}: `}${text}\n`),
		close: () => closeSync(file),
	};
}
