import { describe, expect, it } from 'vitest';
import { type Pass, takeTurns } from './take-turns.ts';

const NOTHING: Pass = { left: 'nothing' };
const ACTED: Pass = { left: 'unknown' };

/** Passes in their order, the last again and again; `busyMs`: how long the key is left to others. */
function aReconcile(passesOf: (underLock: (outcome: 'done' | 'contended' | Error) => Pass) => Pass[], busyMs = 0) {
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
			leaveToBusyMs: () => busyMs,
			settled: (key) => log.push(`${key} settled`),
			actedInsteadOfOthers: (key) => log.push(`${key} acted`),
		},
	);
	return { log, reconcile };
}

describe('a reconcile that takes turns', () => {
	it('ends with the first pass that leaves nothing, and the key is settled', async () => {
		const { log, reconcile } = aReconcile(() => [ACTED, ACTED, { left: 'nothing', afterMs: 70 }]);
		expect(await reconcile('k')).toEqual({ afterMs: 70 });
		expect(log).toEqual(['pass', 'pass', 'pass', 'k settled']);
	});

	it('acts under the lock when no busy replica ranks first, and passes again', async () => {
		const { log, reconcile } = aReconcile((underLock) => [underLock('done'), NOTHING]);
		expect(await reconcile('k')).toEqual({});
		expect(log).toEqual(['pass', 'lock', 'k acted', 'pass', 'k settled']);
	});

	it('leaves the key to a busy replica that ranks first, without the lock', async () => {
		const { log, reconcile } = aReconcile((underLock) => [underLock('done')], 250);
		expect(await reconcile('k')).toEqual({ afterMs: 250 });
		expect(log).toEqual(['pass']);
	});

	it('ends when another replica holds the lock: the key is neither settled nor acted on', async () => {
		const { log, reconcile } = aReconcile((underLock) => [underLock('contended')]);
		expect(await reconcile('k')).toEqual({});
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
