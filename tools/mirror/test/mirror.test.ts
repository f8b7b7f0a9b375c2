import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeDrift, findDrift, ROOT, writeCopies } from '../src/mirror.ts';
import { type Exceptions, type MirroredFolder, TABLE } from '../src/table.ts';
import { commitAll, type Files, MADE_UP_TABLE, madeUpTree, write } from './made-up-tree.ts';

const COPY = 'apps/orchestrator/src/process/logger.ts';
const EXTRA = 'apps/orchestrator/src/process/extra.ts';

function drift(changes: Files, table = MADE_UP_TABLE): string[] {
	return findDrift(madeUpTree(changes), table).map(({ path, what }) => `${path} ${what}`);
}

function withExceptions(exceptions: Exceptions, app = 'orchestrator'): readonly MirroredFolder[] {
	return MADE_UP_TABLE.map((mirrored) =>
		mirrored.folder === 'process' ? { ...mirrored, exceptions: { [app]: exceptions } } : mirrored,
	);
}

describe('this repository', () => {
	it('has the same bytes in every copy of a mirrored folder', () => {
		expect(describeDrift(findDrift(ROOT, TABLE))).toBe('');
	});

	it('runs this test again when a mirrored folder changes', () => {
		const turbo = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'turbo.json'), 'utf8')) as {
			tasks: { test: { inputs: string[] } };
		};
		const want = TABLE.map(({ folder }) => `$TURBO_ROOT$/apps/*/src/${folder}/**`);
		expect(turbo.tasks.test.inputs).toEqual(expect.arrayContaining(want));
	});
});

describe('drift', () => {
	it('equal copies have none, nor has a folder with one app', () => {
		const alone = { folder: 'process', reference: 'gateway', copies: [], exceptions: {} };
		expect(drift({})).toEqual([]);
		expect(findDrift(madeUpTree({}, { 'apps/gateway/src/process/a.ts': 'a' }), [alone])).toEqual([]);
	});

	it.each([
		{
			changed: 'one byte',
			changes: { [COPY]: 'one\ntwO\n' },
			want: `${COPY} differs from apps/gateway/src/process/logger.ts in line 2:\n    reference "two"\n    copy      "twO"`,
		},
		{
			changed: 'the last newline',
			changes: { [COPY]: 'one\ntwo' },
			want: `${COPY} differs from apps/gateway/src/process/logger.ts in line 3:\n    reference ""\n    copy      (no such line)`,
		},
		{
			changed: 'a line at the end',
			changes: { [COPY]: 'one\ntwo\n\n' },
			want: `${COPY} differs from apps/gateway/src/process/logger.ts in line 4:\n    reference (no such line)\n    copy      ""`,
		},
		{
			changed: 'a missing file',
			changes: { [COPY]: undefined },
			want: `${COPY} is missing: apps/gateway/src/process/logger.ts has no copy`,
		},
		{
			changed: 'an extra file',
			changes: { [EXTRA]: '' },
			want: `${EXTRA} has no reference apps/gateway/src/process/extra.ts: move it there, or out of the folder`,
		},
		{
			changed: 'a mirrored folder in an app that the table does not name',
			changes: { 'apps/notification/src/lock/lease.ts': '' },
			want: 'apps/notification/src/lock is not in tools/mirror/src/table.ts: add its app to the copies of "lock"',
		},
	])('finds $changed', ({ changes, want }) => {
		expect(drift(changes)).toEqual([want]);
	});

	it('finds a file that differs below a subfolder', () => {
		expect(drift({ 'apps/orchestrator/src/lock/deep/lease.ts': 'x' })).toEqual([
			expect.stringContaining('apps/orchestrator/src/lock/deep/lease.ts differs'),
		]);
	});

	it('finds a reference folder that is not there', () => {
		expect(
			findDrift(madeUpTree({}, { 'apps/gateway/src/process/a.ts': '' }), [
				{ folder: 'kube', reference: 'gateway', copies: [], exceptions: {} },
			]),
		).toEqual([{ path: 'apps/gateway/src/kube', what: expect.stringContaining('is missing') }]);
	});

	it('ignores tests and examples on both sides', () => {
		const changes = {
			'apps/orchestrator/src/process/logger.test.ts': 'another',
			'apps/orchestrator/src/process/own.test.ts': '',
			'apps/gateway/src/process/logger.example.ts': '',
		};
		expect(drift(changes)).toEqual([]);
	});

	it('is described with the command that mends it and the place of the change', () => {
		const text = describeDrift(findDrift(madeUpTree({ [COPY]: 'x' }), MADE_UP_TABLE));
		expect(text).toContain('Change the reference, not the copy; then `npm run generate`');
	});
});

describe('a file that leaves the mirror', () => {
	it.each([
		{ how: 'differs', changes: { [COPY]: 'own\n' }, file: 'logger.ts' },
		{ how: 'is absent', changes: { [COPY]: undefined }, file: 'logger.ts' },
		{ how: 'has no reference', changes: { [EXTRA]: 'own\n' }, file: 'extra.ts' },
	])('needs a reason when it $how', ({ changes, file }) => {
		expect(drift(changes, withExceptions({ [file]: 'logs to a file' }))).toEqual([]);
		expect(drift(changes, withExceptions({ [file]: ' ' }))).toEqual([
			`apps/orchestrator/src/process/${file} leaves the mirror without a reason: give one in tools/mirror/src/table.ts`,
		]);
	});

	it('is found when it is the same as the reference', () => {
		expect(drift({}, withExceptions({ 'logger.ts': 'logs to a file' }))).toEqual([
			`${COPY} is the same as apps/gateway/src/process/logger.ts: take its exception out of tools/mirror/src/table.ts`,
		]);
	});

	it('is found when neither app has it', () => {
		expect(drift({}, withExceptions({ 'gone.ts': 'logs to a file' }))).toEqual([
			expect.stringContaining('apps/orchestrator/src/process/gone.ts is the same'),
		]);
	});

	it('is found when its app has no copy of the folder', () => {
		expect(drift({}, withExceptions({ 'logger.ts': 'logs to a file' }, 'workflow-executor'))).toEqual([
			expect.stringContaining('apps/workflow-executor/src/process is no copy'),
		]);
	});

	it('is left alone when the copies are written', () => {
		const root = madeUpTree({ [COPY]: 'own\n' });
		const table = withExceptions({ 'logger.ts': 'logs to a file' });
		expect(writeCopies(root, table)).toEqual({ done: [], left: [] });
		expect(readFileSync(join(root, COPY), 'utf8')).toBe('own\n');
	});
});

describe('writing the copies', () => {
	it('mends a file that differs, is missing, or belongs to a new app', () => {
		const root = madeUpTree({
			[COPY]: 'x',
			'apps/gateway/src/process/new.ts': 'new',
			'apps/notification/src/app.ts': '',
		});
		const table = MADE_UP_TABLE.map((mirrored) => ({ ...mirrored, copies: ['orchestrator', 'notification'] }));
		expect(writeCopies(root, table)).toEqual({
			done: [
				`${COPY} written`,
				'apps/orchestrator/src/process/new.ts written',
				'apps/notification/src/process/new.ts written',
				'apps/notification/src/lock/deep/lease.ts written',
			],
			left: [],
		});
		expect(findDrift(root, table)).toEqual([]);
		expect(writeCopies(root, table)).toEqual({ done: [], left: [] });
	});

	it('removes an extra file that git holds as it is', () => {
		const root = madeUpTree({ [EXTRA]: 'extra\n' });
		commitAll(root);
		expect(writeCopies(root, MADE_UP_TABLE)).toEqual({ done: [`${EXTRA} removed`], left: [] });
		expect(existsSync(join(root, EXTRA))).toBe(false);
	});

	it.each([
		{ state: 'changed since the last commit', before: 'extra\n' },
		{ state: 'not committed', before: undefined },
	])('leaves an extra file that is $state, and says so', ({ before }) => {
		const root = madeUpTree({ [EXTRA]: before });
		commitAll(root);
		write(root, EXTRA, 'work\n');
		expect(writeCopies(root, MADE_UP_TABLE)).toEqual({
			done: [],
			left: [{ path: EXTRA, what: expect.stringContaining('It stays, because git does not hold it as it is') }],
		});
		expect(readFileSync(join(root, EXTRA), 'utf8')).toBe('work\n');
	});
});
