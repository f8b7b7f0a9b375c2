import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TABLE } from '../src/table.ts';
import { type Files, madeUpTree } from './made-up-tree.ts';

const CLI = join(import.meta.dirname, '..', 'src', 'cli.ts');
const IN_SYNC: Files = Object.fromEntries(
	TABLE.flatMap(({ folder, reference, copies }) =>
		[reference, ...copies].map((app) => [`apps/${app}/src/${folder}/a.ts`, 'a\n']),
	),
);
const COPY = 'apps/notification/src/kube/a.ts';

function run(...args: string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
	return { status, stdout, stderr };
}

it('--check ends with 0 and no words when all copies are the same', () => {
	expect(run('--check', madeUpTree({}, IN_SYNC))).toEqual({ status: 0, stdout: '', stderr: '' });
});

it('--check ends with 1, names the file, the line and the command, and writes nothing', () => {
	const root = madeUpTree({ [COPY]: 'b\n' }, IN_SYNC);
	const { status, stderr } = run('--check', root);
	expect(stderr).toContain(`${COPY} differs from apps/gateway/src/kube/a.ts in line 1`);
	expect(stderr).toContain('npm run generate');
	expect(status).toBe(1);
	expect(readFileSync(join(root, COPY), 'utf8')).toBe('b\n');
});

it('writes the copies and names them', () => {
	const root = madeUpTree({ [COPY]: 'b\n' }, IN_SYNC);
	expect(run(root)).toEqual({ status: 0, stdout: `${COPY} written\n`, stderr: '' });
	expect(run('--check', root).status).toBe(0);
});

it('ends with 1 when a file is left that it must not remove', () => {
	const { status, stderr } = run(madeUpTree({ 'apps/notification/src/kube/own.ts': '' }, IN_SYNC));
	expect(stderr).toContain('apps/notification/src/kube/own.ts has no reference');
	expect(status).toBe(1);
});

it('ends with 2 on an option that it does not have', () => {
	expect(run('--frobnicate')).toMatchObject({ status: 2, stderr: expect.stringContaining('--frobnicate') });
});

it('--help explains the options, the folders and the exit codes', () => {
	const { status, stdout } = run('--help');
	expect(status).toBe(0);
	for (const word of ['Usage:', '--check', 'Exit codes', ...TABLE.map(({ folder }) => folder)])
		expect(stdout).toContain(word);
});
