import { describe, expect, it } from 'vitest';
import { anEnd, anExecution, aRunning, at, MINUTE, NOW, TARGET } from '../../test/harness/made-up.ts';
import { TargetLocks } from './target-locks.ts';

function locksWith(...executions: Parameters<TargetLocks['seen']>[0][]): TargetLocks {
	const locks = new TargetLocks(5 * MINUTE, () => NOW);
	for (const execution of executions) locks.seen(execution);
	return locks;
}
const wanted = anExecution({ chain: 9 });

describe('checkResourceLock', () => {
	it('finds an execution that runs', () => {
		const holder = aRunning();
		expect(locksWith(holder, wanted).checkResourceLock(wanted)).toEqual({ reason: 'ResourceBusy', holder });
	});

	it('finds an execution whose cooldown is not over, and when it ends', () => {
		const holder = anEnd('Failed', MINUTE);
		expect(locksWith(holder, wanted).checkResourceLock(wanted)).toEqual({
			reason: 'RecentlyRemediated',
			holder,
			until: NOW + 4 * MINUTE,
		});
	});

	it('of several cooldowns the one that ends last counts', () => {
		const long = anEnd('Completed', 3 * MINUTE, { chain: 1, cooldownMs: 20 * MINUTE });
		const found = locksWith(anEnd('Completed', MINUTE), long, wanted).checkResourceLock(wanted);
		expect(found).toMatchObject({ holder: { name: 'we-1' }, until: NOW + 17 * MINUTE });
	});

	it.each([
		{ what: 'the execution itself', other: { ...wanted, phase: 'Running' as const, run: { name: 'r', uid: 'u' } } },
		{ what: 'one of another target', other: aRunning({ target: 'shop/Deployment/other' }) },
		{ what: 'one whose cooldown is over', other: anEnd('Completed', 6 * MINUTE) },
		{ what: 'one without a cooldown', other: anEnd('Completed', 0, { cooldownMs: 0 }) },
		{ what: 'one that was skipped', other: anExecution({ phase: 'Skipped', completionTime: at(NOW) }) },
		{ what: 'one that failed before a run', other: anExecution({ phase: 'Failed', completionTime: at(NOW) }) },
		{ what: 'one that is being deleted in its cooldown', other: anEnd('Completed', 0, { deleting: true }) },
		{ what: 'one that is being deleted while it runs', other: aRunning({ deleting: true }) },
		{ what: 'one that waits like this one', other: anExecution({ chain: 3 }) },
	])('is not held back by $what', ({ other }) => {
		expect(locksWith(other, wanted).checkResourceLock(wanted)).toBeUndefined();
	});

	it('lets go of an execution that is removed', () => {
		const holder = aRunning();
		const locks = locksWith(holder, wanted);
		locks.seen(holder, true);
		expect(locks.checkResourceLock(wanted)).toBeUndefined();
	});

	it('costs the same with 100,000 finished executions of one target', () => {
		const locks = locksWith(wanted);
		for (let chain = 0; chain < 100_000; chain++)
			locks.seen(anEnd('Completed', 60 * MINUTE, { chain, uid: `u${chain}`, name: `n${chain}` }));
		// Of the processor: others may be at work on this machine.
		const before = process.cpuUsage();
		for (let i = 0; i < 10_000; i++) locks.checkResourceLock(wanted);
		// Walking through them once takes longer than this.
		expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
		expect(locks.openOf(TARGET)).toEqual([wanted]);
	});

	it('forgets a target that has nothing open and no cooldown', () => {
		const locks = locksWith(wanted);
		expect([...locks.targets()]).toEqual([TARGET]);
		locks.seen({ ...wanted, phase: 'Skipped' });
		expect([...locks.targets()]).toEqual([]);
	});
});

it('open executions come in the order of their chain', () => {
	const locks = locksWith(anExecution({ chain: 2 }), anExecution({ chain: 0 }), anExecution({ chain: 1 }));
	expect(locks.openOf(TARGET).map(({ chain }) => chain)).toEqual([0, 1, 2]);
});

it('executions that wait are counted until they run, end, or are deleted', () => {
	const locks = locksWith(anExecution({ chain: 0 }), anExecution({ chain: 1 }), anExecution({ chain: 2 }));
	locks.seen(anExecution({ chain: 1, resourceVersion: '2' }));
	expect(locks.waiting).toBe(3);
	locks.seen(aRunning({ chain: 0, uid: 'uid-of-we-0' }));
	locks.seen(anExecution({ chain: 1, deleting: true }));
	expect(locks.waiting).toBe(1);
	locks.seen(anExecution({ chain: 2 }), true);
	locks.seen(anEnd('Completed', 0, { chain: 0, uid: 'uid-of-we-0' }));
	expect(locks.waiting).toBe(0);
});
