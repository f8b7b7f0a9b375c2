import { describe, expect, it } from 'vitest';
import { ReplicaTurns } from './replica-turns.ts';

const STEP_MS = 250;
const PODS = ['orchestrator-0', 'orchestrator-1', 'orchestrator-2'];
const TARGETS = Array.from({ length: 300 }, (_, i) => `shop/Pod/p${i}`);

function replicas(now: () => number = () => 0): ReplicaTurns[] {
	return PODS.map((podName) => {
		const turns = new ReplicaTurns(podName, STEP_MS, now);
		for (const pod of PODS) turns.present(pod);
		return turns;
	});
}

/** A target that this replica ranks last on, of those that it is asked about. */
function lastOn(turns: ReplicaTurns): string {
	const target = TARGETS.find((one) => turns.waitMs(one) === 2 * STEP_MS);
	if (target === undefined) throw new Error('no target ranks it last');
	return target;
}

describe('turns of replicas', () => {
	it('give every target one replica that acts at once, each next one a step later', () => {
		const all = replicas();
		for (const target of TARGETS)
			expect(all.map((turns) => turns.waitMs(target)).toSorted((a, b) => a - b)).toEqual([0, STEP_MS, 2 * STEP_MS]);
	});

	it('spread the first rank over the replicas', () => {
		const firsts = replicas().map((turns) => TARGETS.filter((target) => turns.waitMs(target) === 0).length);
		for (const count of firsts) expect(count).toBeGreaterThan(TARGETS.length / 5);
	});

	it('let a replica that knows no other act at once', () => {
		const alone = new ReplicaTurns('orchestrator-0', STEP_MS, () => 0);
		alone.present('orchestrator-0');
		expect(alone.replicas).toBe(1);
		expect(TARGETS.every((target) => alone.waitMs(target) === 0)).toBe(true);
	});

	it('do not count a replica that is gone', () => {
		const [turns] = replicas();
		const target = lastOn(turns!);
		turns!.gone('orchestrator-1');
		turns!.gone('orchestrator-2');
		expect(turns!.waitMs(target)).toBe(0);
	});

	it('do not count replicas that let their turn pass, until they are seen again', () => {
		const [turns] = replicas();
		const target = lastOn(turns!);
		turns!.actedInsteadOfOthers(target);
		expect(turns!.replicas).toBe(1);
		expect(turns!.waitMs(target)).toBe(0);
		turns!.active('orchestrator-1');
		expect(turns!.waitMs(target)).toBe(STEP_MS);
		turns!.present('orchestrator-2');
		expect(turns!.waitMs(target)).toBe(2 * STEP_MS);
	});

	it('leave a target to a busy replica that ranks before us, for a limited time', () => {
		let now = 0;
		const [turns] = replicas(() => now);
		const target = lastOn(turns!);
		expect(turns!.leaveToBusyMs(target)).toBe(0); // no replica was seen at work
		let waitedMs = 0;
		for (; turns!.leaveToBusyMs(target) > 0 || waitedMs === 0; waitedMs += STEP_MS) {
			now += STEP_MS;
			turns!.active('orchestrator-1');
		}
		expect(waitedMs / STEP_MS).toBeGreaterThan(10);
		expect(waitedMs / STEP_MS).toBeLessThan(30);
	});

	it('leave work that needs no lock to those that rank before us for some seconds, and longer while they are busy', () => {
		let now = 0;
		const leftForSteps = (isBusy: boolean) => {
			const [turns] = replicas(() => now);
			const target = lastOn(turns!);
			const startedAt = now;
			for (; turns!.leaveToOthersMs(target) > 0; now += STEP_MS) if (isBusy) turns!.active('orchestrator-1');
			return (now - startedAt) / STEP_MS;
		};
		expect(leftForSteps(false)).toBe(22);
		expect(leftForSteps(true)).toBe(62);
	});

	it('leave nothing when we rank first, and forget what was left when it is settled', () => {
		let now = 0;
		const all = replicas(() => now);
		const target = lastOn(all[0]!);
		const first = all.find((turns) => turns.waitMs(target) === 0);
		expect(first!.leaveToOthersMs(target)).toBe(0);
		expect(all[0]!.leaveToOthersMs(target)).toBe(STEP_MS);
		all[0]!.settled(target);
		now += 100 * STEP_MS;
		expect(all[0]!.leaveToOthersMs(target)).toBe(STEP_MS);
	});

	it('do not leave a target to a replica that was at work a while ago', () => {
		let now = 0;
		const [turns] = replicas(() => now);
		const target = lastOn(turns!);
		turns!.active('orchestrator-1');
		now += STEP_MS;
		expect(turns!.leaveToBusyMs(target)).toBe(STEP_MS);
		now += 10 * STEP_MS;
		expect(turns!.leaveToBusyMs(target)).toBe(0);
	});
});
