import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inWords } from '../src/report.ts';
import { TABLE } from '../src/table.ts';
import { compareTwins, ROOT } from '../src/twins.ts';
import { type Files, LOCK, MADE_UP_TABLE, madeUpTree } from './made-up-tree.ts';

const REFERENCE = 'apps/gateway/src/distributed-lock.ts';
const COPY = 'apps/orchestrator/src/distributed-lock.ts';
const HEAD = '// The lock: the reference copy.';

function found(changes: Files): string {
	return inWords(compareTwins(madeUpTree(changes), MADE_UP_TABLE).findings);
}

function copyThat(changes: (lock: string) => string, head = `// A copy of ${REFERENCE}.`): Files {
	return { [COPY]: changes(LOCK.replace(HEAD, head)) };
}

describe('this repository', () => {
	it('has no copy that differs in what its head does not name', () => {
		const { copies, findings } = compareTwins();
		expect(inWords(findings)).toBe('');
		expect(copies).toBeGreaterThan(0);
	});
	it('has every reference that the table needs in all apps', () => {
		const missing = TABLE.twins
			.filter(({ inEveryApp }) => inEveryApp)
			.flatMap(({ files, reference }) => files.map((file) => `apps/${reference}/src/${file}`))
			.filter((path) => !existsSync(join(ROOT, path)));
		expect(missing).toEqual([]);
	});
});

describe('copies that are accepted', () => {
	it('a reference without a copy', () => {
		expect(found({})).toBe('');
	});
	it('the same bytes, with no word about it', () => {
		expect(found({ [COPY]: LOCK })).toBe('');
	});
	it('other comments, under a head that says it is a copy', () => {
		expect(found(copyThat((lock) => lock.replace('/** Waits. */', '/** Waits, too. */')))).toBe('');
	});
	it('moved declarations', () => {
		const [head = '', prefix = '', ...rest] = LOCK.split(/^(?=const|export)/m);
		const moved = [head.replace(HEAD, `// A copy of ${REFERENCE}.`), ...rest, prefix].join('');
		expect(moved).not.toBe(LOCK);
		expect(found({ [COPY]: moved })).toBe('');
	});
	it('a difference that the head names', () => {
		const named = `// A copy of ${REFERENCE}; differs in: LOCK_PREFIX, DistributedLock.release.`;
		const change = (lock: string) =>
			lock.replace('gw-lock-', 'ro-lock-').replace('this.#held.delete', 'await this.#drop');
		expect(found(copyThat(change, named))).toBe('');
	});
	it('a file of that name that is something else, and says so', () => {
		const other = `// Not a copy of ${REFERENCE}: the lock is the PipelineRun itself.\nexport const lock = 1;\n`;
		expect(found({ [COPY]: other })).toBe('');
	});
});

describe('differences that are not named', () => {
	it('in one member of a class: that member is shown, with what to do', () => {
		const message = found(copyThat((lock) => lock.replace('this.#held.set(key, nameOf(key));', 'return;')));
		expect(message).toBe(`${COPY} differs from ${REFERENCE} in what its head does not name: DistributedLock.acquire

  DistributedLock.acquire
  - ${REFERENCE}:10
  + ${COPY}:10
      async acquire(key: string): Promise<void> {
    - 	this.#held.set(key, nameOf(key));
    + 	return;
      }

  What to do: a fix belongs in the reference and in every copy: carry it over to where it is missing.
  If this app must differ here, say so in the head of the copy:
    // A copy of ${REFERENCE}; differs in: DistributedLock.acquire.`);
	});
	it('a renamed declaration is one that went and one that came', () => {
		const message = found(copyThat((lock) => lock.replaceAll('nameOf', 'leaseNameOf')));
		expect(message).toContain('does not name: DistributedLock.acquire, nameOf, leaseNameOf');
		expect(message).toContain(`+ not in ${COPY}`);
		expect(message).toContain(`- not in ${REFERENCE}`);
	});
	it('a renamed member is told from the others', () => {
		expect(found(copyThat((lock) => lock.replace('async release', 'async letGo')))).toContain(
			'does not name: DistributedLock.release, DistributedLock.letGo',
		);
	});
	it('beside one that is named', () => {
		const named = `// A copy of ${REFERENCE}; differs in: LOCK_PREFIX.`;
		const change = (lock: string) => lock.replace('gw-lock-', 'ro-lock-').replace('.delete(key)', '.clear()');
		const message = found(copyThat(change, named));
		expect(message).toContain('does not name: DistributedLock.release');
		expect(message).toContain(`// A copy of ${REFERENCE}; differs in: LOCK_PREFIX, DistributedLock.release.`);
	});
	it('the name of a class stands for its head, not for its members', () => {
		const named = `// A copy of ${REFERENCE}; differs in: DistributedLock.`;
		const message = found(copyThat((lock) => lock.replace('.delete(key)', '.clear()'), named));
		expect(message).toContain('does not name: DistributedLock.release');
		expect(message).toContain('DistributedLock (the same in both)');
	});
	it('a bug that is mended in the reference only is reported for every copy', () => {
		const copy = LOCK.replace(HEAD, `// A copy of ${REFERENCE}.`);
		const mended = { [REFERENCE]: LOCK.replace('.delete(key)', '.delete(key.trim())') };
		const { findings } = compareTwins(
			madeUpTree({ ...mended, [COPY]: copy, 'apps/notification/src/distributed-lock.ts': copy }),
			MADE_UP_TABLE,
		);
		expect(findings.map(({ where }) => where)).toEqual(['apps/notification/src/distributed-lock.ts', COPY]);
	});
	it('a bug that is mended in one copy only is reported there', () => {
		const copy = LOCK.replace(HEAD, `// A copy of ${REFERENCE}.`);
		const mended = copy.replace('.delete(key)', '.delete(key.trim())');
		const { findings } = compareTwins(
			madeUpTree({ [COPY]: mended, 'apps/notification/src/distributed-lock.ts': copy }),
			MADE_UP_TABLE,
		);
		expect(findings).toMatchObject([{ where: COPY, differences: [{ name: 'DistributedLock.release' }] }]);
	});
	it('a comment, where the copy does not say that it is one', () => {
		expect(found({ [COPY]: LOCK.replace('Waits.', 'Waits long.') })).toContain(
			'differs from apps/gateway/src/distributed-lock.ts in comments or layout',
		);
	});
	it('code, where the copy does not say that it is one', () => {
		expect(found({ 'apps/notification/src/logger.ts': 'export const logger = undefined;\n' })).toContain(
			'apps/notification/src/logger.ts differs from apps/gateway/src/logger.ts in what its head does not name: logger',
		);
	});
});

describe('heads that say what is not so', () => {
	it.each([
		{ what: 'a difference that is none any more', names: 'LOCK_PREFIX', want: 'LOCK_PREFIX (the same in both)' },
		{ what: 'a difference in what is not there', names: 'LOCK_SUFFIX', want: 'LOCK_SUFFIX (in neither file)' },
		{ what: 'a member without its class', names: 'acquire', want: 'acquire (in neither file)' },
	])('$what', ({ names, want }) => {
		const message = found(copyThat((lock) => lock, `// A copy of ${REFERENCE}; differs in: ${names}.`));
		expect(message).toContain(`names a difference that there is not: ${want}`);
		expect(message).toContain(`the head of the copy should be:\n    // A copy of ${REFERENCE}.`);
	});
	it('another source than the reference', () => {
		const message = found(copyThat((lock) => lock, `// A copy of ${COPY}.`));
		expect(message).toContain(`names ${COPY} as its source; the reference is ${REFERENCE}`);
	});
	it('a form that is not understood', () => {
		expect(found(copyThat((lock) => lock, `// A copy of ${REFERENCE}, more or less`))).toContain('not understood');
	});
	it('no copy, when most of it is one', () => {
		const message = found(copyThat((lock) => lock, `// Not a copy of ${REFERENCE}: I say so.`));
		expect(message).toContain('says that it is no copy, but most of it is');
	});
	it('the reference itself is no copy', () => {
		expect(found({ [REFERENCE]: LOCK.replace(HEAD, `// A copy of ${COPY}.`) })).toContain('it is the reference');
	});
	it('a copy that nobody compares', () => {
		expect(found({ 'apps/gateway/src/alone.ts': `// A copy of ${REFERENCE}.\n` })).toContain(
			'alone.ts is not in tools/twins/src/table.ts',
		);
	});
});

describe('files in their places', () => {
	it('a room that every app has may not be missing', () => {
		const root = madeUpTree({ 'apps/workflow-executor/src/app.ts': '' });
		expect(compareTwins(root, MADE_UP_TABLE).findings).toMatchObject([
			{ where: 'apps/workflow-executor/src/logger.ts', what: expect.stringContaining('is missing') },
		]);
	});
	it('a copy needs its reference', () => {
		const table = {
			...MADE_UP_TABLE,
			twins: [{ reference: 'orchestrator', inEveryApp: false, files: ['controller.ts'] }],
		};
		const root = madeUpTree({ 'apps/notification/src/controller.ts': '' });
		expect(inWords(compareTwins(root, table).findings)).toContain(
			'apps/notification/src/controller.ts is a copy of apps/orchestrator/src/controller.ts, which is not there',
		);
	});
	it('a name that two apps have is a twin or is said to be none', () => {
		const twice = { 'apps/gateway/src/x/clock.ts': '', 'apps/orchestrator/src/x/clock.ts': '' };
		expect(found(twice)).toContain('add x/clock.ts to tools/twins/src/table.ts');
		expect(found({ 'apps/gateway/src/app.ts': 'a;', 'apps/orchestrator/src/app.ts': 'b;' })).toBe('');
	});
	it('tests and generated files are no twins', () => {
		const names = ['clock.test.ts', 'generated/lease.ts', 'notes.md'];
		const files = names.flatMap((name) => [`apps/gateway/src/${name}`, `apps/orchestrator/src/${name}`]);
		expect(found(Object.fromEntries(files.map((path) => [path, path])))).toBe('');
	});
	it('a file that cannot be read is reported, and the others still compared', () => {
		const message = found({ [COPY]: 'const = ;\n', 'apps/notification/src/logger.ts': 'export {};\n' });
		expect(message).toContain(`${COPY} cannot be read as TypeScript`);
		expect(message).toContain('apps/notification/src/logger.ts differs');
	});
});
