import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { TABLE } from '../src/table.ts';
import { type Files, madeUpTree } from './made-up-tree.ts';

const CLI = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'cli.ts');
const EVERY_ROOM: Files = Object.fromEntries(
	TABLE.twins
		.filter(({ inEveryApp }) => inEveryApp)
		.flatMap(({ files }) => files)
		.flatMap((file) => ['gateway', 'notification', 'orchestrator'].map((app) => [`apps/${app}/src/${file}`, 'f();\n'])),
);

function run(...args: string[]) {
	const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { encoding: 'utf8' });
	return { status, stdout, stderr };
}

it('ends with 0 and says how much it compared', () => {
	const want = `${(2 * Object.keys(EVERY_ROOM).length) / 3} copies of ${Object.keys(EVERY_ROOM).length / 3} files`;
	expect(run(madeUpTree(EVERY_ROOM))).toMatchObject({ status: 0, stdout: expect.stringContaining(want), stderr: '' });
});

it('ends with 1 and shows the difference', () => {
	const root = madeUpTree({ ...EVERY_ROOM, 'apps/notification/src/kube.ts': 'g();\n' });
	const { status, stderr } = run(root);
	expect(stderr).toContain('    - f();\n    + g();');
	expect(stderr).toContain('1 found');
	expect(status).toBe(1);
});

it('ends with 2 when it is asked for what it does not know', () => {
	expect(run('--frobnicate')).toMatchObject({ status: 2, stderr: expect.stringContaining('--frobnicate') });
});

it('has a help page', () => {
	expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage:') });
});
