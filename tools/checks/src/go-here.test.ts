import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { goHere } from './go-here.ts';

function directoryWith(program?: string): string {
	const directory = mkdtempSync(join(tmpdir(), 'go-here-'));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	if (program !== undefined) {
		writeFileSync(join(directory, 'go'), program);
		chmodSync(join(directory, 'go'), 0o755);
	}
	return directory;
}

it.each([
	{ what: 'no Go', program: undefined, want: 'none' },
	{ what: 'a Go', program: '#!/bin/sh\n[ "$GOTOOLCHAIN" = local ] && echo go1.26.8\n', want: 'go1.26.8' },
	{ what: 'one that does not work', program: '#!/bin/sh\nexit 1\n', want: 'none' },
])('where there is $what it is $want', ({ program, want }) => {
	expect(goHere({ PATH: directoryWith(program) })).toBe(want);
});
