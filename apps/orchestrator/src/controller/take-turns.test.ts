import { describe, expect, it } from 'vitest';
import { type Pass, takeTurns } from './take-turns.ts';

const NOTHING: Pass = { left: 'nothing' };
const ACTED: Pass = { left: 'unknown' };
/** Of our turn. */
const WAIT_MS = 1;
type UnderLock = Extract<Pass, { left: 'underLock' }>;
const freely = (isDone: boolean, rest: UnderLock | { readonly left: 'unknown' } = { left: 'unknown' }): Pass => ({
	left: 'freely',
	act: async () => ({ isDone, rest }),
});

/** Passes in their order, the last again and again; `busyMs`: how long the key is left to others. */
function aReconcile(
	passesOf: (underLock: (outcome: 'done' | 'contended' | Error) => UnderLock) => Pass[],
	busyMs = 0,
	othersMs = 0,
) {
	const log: string[] = [];
	const passes = passesOf((outcome) => ({
		left: 'underLock',
		async act(onLocked) {
			log.push('lock');
			if (outcome === 'contended') return outcome;
			onLocked();
			if (outcome instanceof Error) throw outcome;
			return outcome;
		},
	}));
	const reconcile = takeTurns(
		async () => {
			log.push('pass');
			return (passes.length > 1 ? passes.shift() : passes[0]) as Pass;
		},
		{
			waitMs: () => WAIT_MS,
			leaveToBusyMs: () => busyMs,
			leaveToOthersMs: () => othersMs,
			settled: (key) => log.push(`${key} settled`),
			actedInsteadOfOthers: (key) => log.push(`${key} acted`),
		},
	);
	return { log, reconcile };
}

describe('a reconcile that takes turns', () => {
	it('ends with the first pass that leaves nothing, and the key is settled', async () => {
		const { log, reconcile } = aReconcile(() => [ACTED, ACTED, { left: 'nothing', afterMs: 70 }]);
		expect(await reconcile('k')).toEqual({ afterMs: 70 + WAIT_MS });
		expect(log).toEqual(['pass', 'pass', 'pass', 'k settled']);
	});

	it('acts under the lock when no busy replica ranks first, and passes again', async () => {
		const { log, reconcile } = aReconcile((underLock) => [underLock('done'), NOTHING]);
		expect(await reconcile('k')).toEqual({});
		expect(log).toEqual(['pass', 'lock', 'k acted', 'pass', 'k settled']);
	});

	it('leaves the key to a busy replica that ranks first, without the lock', async () => {
		const { log, reconcile } = aReconcile((underLock) => [underLock('done')], 250);
		expect(await reconcile('k')).toEqual({ afterMs: 250, untried: true });
		expect(log).toEqual(['pass']);
	});

	it('does what needs no lock when its turn has come, and then what needs the lock', async () => {
		const { log, reconcile } = aReconcile((underLock) => [freely(true, underLock('done')), NOTHING]);
		expect(await reconcile('k')).toEqual({});
		expect(log).toEqual(['pass', 'k acted', 'lock', 'k acted', 'pass', 'k settled']);
	});

	it('leaves what needs no lock to a replica that ranks first', async () => {
		const { log, reconcile } = aReconcile(() => [freely(true)], 0, 250);
		expect(await reconcile('k')).toEqual({ afterMs: 250, untried: true });
		expect(log).toEqual(['pass']);
	});

	it('does not count those that rank first as silent when they were only earlier', async () => {
		const { log, reconcile } = aReconcile(() => [freely(false), NOTHING]);
		expect(await reconcile('k')).toEqual({});
		expect(log).toEqual(['pass', 'pass', 'k settled']);
	});

	it('ends when another replica holds the lock: the key is neither settled nor acted on, and nothing was tried', async () => {
		const { log, reconcile } = aReconcile((underLock) => [underLock('contended')]);
		expect(await reconcile('k')).toEqual({ untried: true });
		expect(log).toEqual(['pass', 'lock']);
	});

	it('counts as acted when the work under the lock failed, and fails with its error', async () => {
		const { log, reconcile } = aReconcile((underLock) => [underLock(new Error('rejected'))]);
		await expect(reconcile('k')).rejects.toThrow('rejected');
		expect(log).toEqual(['pass', 'lock', 'k acted']);
	});

	it('gives up after ten passes that each left something, and is requeued', async () => {
		const { log, reconcile } = aReconcile(() => [ACTED]);
		expect(await reconcile('k')).toEqual({ afterMs: 100 });
		expect(log).toHaveLength(10);
	});
});
