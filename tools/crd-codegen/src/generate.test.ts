// The generator and its check on a repository in a temporary directory, through the functions and the command line.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLE_YAML } from '../test/example-crd.ts';
import { CRD_DIRECTORY, compare, generate } from './generate.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');
const APPS = { kitchen: ['Teapot'] };
const TYPES = 'apps/kitchen/src/generated/teapot.ts';
const OBJECT_META = 'apps/kitchen/src/generated/object-meta.ts';
const YAML = `${CRD_DIRECTORY}/teapots.yaml`;

let root: string;

beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'crd-codegen-'));
	mkdirSync(join(root, CRD_DIRECTORY), { recursive: true });
	writeFileSync(join(root, YAML), EXAMPLE_YAML);
});

afterEach(() => {
	rmSync(root, { recursive: true });
});

async function differences() {
	return (await compare(root, APPS)).differences;
}

describe('generate', () => {
	it('writes what is missing, and finds nothing to do the second time', async () => {
		expect(await generate(root, APPS)).toEqual([
			{ path: OBJECT_META, state: 'missing' },
			{ path: TYPES, state: 'missing' },
		]);
		expect(await generate(root, APPS)).toEqual([]);
	});

	it('removes a file that it wrote and nothing needs any more, and no other', async () => {
		await generate(root, APPS);
		writeFileSync(join(root, 'apps/kitchen/src/generated/other.ts'), '// made by something else\n');
		expect(await generate(root, { kitchen: [] })).toEqual([{ path: TYPES, state: 'extra' }]);
		expect(existsSync(join(root, TYPES))).toBe(false);
		expect(existsSync(join(root, 'apps/kitchen/src/generated/other.ts'))).toBe(true);
	});

	it('removes what it wrote for an app that uses no kinds any more', async () => {
		await generate(root, APPS);
		expect(await generate(root, {})).toEqual([
			{ path: OBJECT_META, state: 'extra' },
			{ path: TYPES, state: 'extra' },
		]);
		expect(existsSync(join(root, OBJECT_META)) || existsSync(join(root, TYPES))).toBe(false);
	});

	it('refuses an app that uses a kind without a CRD', async () => {
		await expect(generate(root, { kitchen: ['Kettle'] })).rejects.toThrow(
			'kitchen uses Kettle, but deploy/crds has only Teapot',
		);
	});
});

describe('compare', () => {
	beforeEach(async () => {
		await generate(root, APPS);
	});

	it('finds nothing in a tree that was just generated', async () => {
		expect(await differences()).toEqual([]);
	});

	it('finds types that are older than the YAML', async () => {
		writeFileSync(join(root, YAML), EXAMPLE_YAML.replace('minutes: { type: integer }', 'minutes: { type: string }'));
		expect(await differences()).toEqual([{ path: TYPES, state: 'stale' }]);
	});

	it('finds types that were edited by hand', async () => {
		writeFileSync(join(root, TYPES), `${readFileSync(join(root, TYPES), 'utf8')}// a note\n`);
		expect(await differences()).toEqual([{ path: TYPES, state: 'stale' }]);
	});

	it('finds types that were deleted', async () => {
		rmSync(join(root, TYPES));
		expect(await differences()).toEqual([{ path: TYPES, state: 'missing' }]);
	});

	it.each([
		{ title: 'a kind that its app uses no more', apps: { kitchen: [] }, want: [TYPES] },
		{ title: 'an app that uses no kinds any more', apps: {}, want: [OBJECT_META, TYPES] },
	])('finds what is left of $title', async ({ apps, want }) => {
		const { differences: found } = await compare(root, apps);
		expect(found).toEqual(want.map((path) => ({ path, state: 'extra' })));
	});
});

describe('the command', () => {
	function run(...args: string[]) {
		const { status, stdout, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'cli.ts'), ...args], {
			encoding: 'utf8',
		});
		return { status, stdout, stderr };
	}

	it('generates, checks, and names the stale file and the way out', () => {
		rmSync(join(root, CRD_DIRECTORY), { recursive: true });
		cpSync(join(REPOSITORY, CRD_DIRECTORY), join(root, CRD_DIRECTORY), { recursive: true });
		const path = 'apps/gateway/src/generated/remediation-request.ts';

		expect(run('--check', '--root', root)).toMatchObject({
			status: 1,
			stderr: expect.stringContaining(`missing: ${path}`),
		});
		expect(run('--root', root)).toMatchObject({ status: 0, stdout: expect.stringContaining(`wrote ${path}`) });
		expect(run('--root', root)).toMatchObject({ status: 0, stdout: expect.stringContaining('up to date') });
		expect(run('--check', '--root', root)).toMatchObject({ status: 0, stderr: '' });

		writeFileSync(join(root, path), 'export {};\n');
		const { status, stderr } = run('--check', '--root', root);
		expect({ status, stderr }).toEqual({
			status: 1,
			stderr: expect.stringMatching(
				/^stale: apps\/gateway\/src\/generated\/remediation-request\.ts\n\n.*node tools\/crd-codegen\/src\/cli\.ts\n$/,
			),
		});
	});

	it('names and removes what an app that is not in its table had', () => {
		rmSync(join(root, CRD_DIRECTORY), { recursive: true });
		cpSync(join(REPOSITORY, CRD_DIRECTORY), join(root, CRD_DIRECTORY), { recursive: true });
		run('--root', root);
		mkdirSync(join(root, 'apps/kitchen/src/generated'), { recursive: true });
		cpSync(join(root, 'apps/gateway/src/generated/object-meta.ts'), join(root, OBJECT_META));

		expect(run('--check', '--root', root)).toMatchObject({
			status: 1,
			stderr: expect.stringContaining(`extra: ${OBJECT_META}`),
		});
		expect(run('--root', root)).toMatchObject({ status: 0, stdout: `removed ${OBJECT_META}\n` });
		expect(run('--check', '--root', root)).toMatchObject({ status: 0 });
	});

	it('explains itself', () => {
		expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--check') });
	});

	it('ends with a message when it cannot work', () => {
		expect(run('--chekc')).toMatchObject({ status: 2, stderr: expect.stringContaining("Unknown option '--chekc'") });
	});
});
