import { expect } from 'vitest';
import { acquire, expectContended } from '../../any-lock/answers.ts';
import { eventually } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage, Pod } from '../lease-stage.ts';
import { type LeaseSpec, microTime } from '../raw-lease.ts';

const HOUR_MS = 3_600_000;
const STRANGER = { holderIdentity: 'stranger_1', leaseDurationSeconds: 30, leaseTransitions: 0 };

/** Not a millisecond before, and then at once. */
async function expectTakenAfter(stage: LeaseStage, pod: Pod, key: string, ms: number): Promise<void> {
	const remainingMs = await expectContended(pod, key);
	expect(remainingMs).toBe(ms);
	await stage.time.advance(ms - 1);
	await expectContended(pod, key);
	await stage.time.advance(1);
	await acquire(pod, key);
}

async function expectSeenUnasked(stage: LeaseStage, first: string): Promise<void> {
	const pod = stage.pod();
	const key = stage.key();
	if (first === 'watch') await stage.watch(pod);
	await stage.plant(pod.lock.leaseName(key), STRANGER, { 'kubernaut.ai/lock': stage.site.app });
	if (first === 'plant') await stage.watch(pod);
	await eventually(() => expect(pod.lock.observations.size).toBe(1));
	await stage.time.advance(30_000);
	await acquire(pod, key);
}

export const L7: Rule<LeaseStage> = {
	id: 'L7',
	title: 'expiry is the age of the last change that we saw, on our own monotonic clock',
	checks: [
		...[
			{ words: 'an hour in the past', offset: -HOUR_MS },
			{ words: 'an hour in the future', offset: HOUR_MS },
		].map(({ words, offset }) => ({
			title: `a lease with times ${words} is taken over after its duration, not before and not later`,
			async run(stage: LeaseStage) {
				const pod = stage.pod();
				const key = stage.key();
				const time = microTime(new Date(pod.clock.wallTime().getTime() + offset));
				await stage.plant(pod.lock.leaseName(key), { ...STRANGER, acquireTime: time, renewTime: time });
				await expectTakenAfter(stage, pod, key, 30_000);
			},
		})),
		...[
			{ words: "a peer's longer duration is honoured", spec: { leaseDurationSeconds: 60 }, wantMs: 60_000 },
			{ words: "a peer's shorter duration is honoured", spec: { leaseDurationSeconds: 5 }, wantMs: 5000 },
			{ words: 'an absurd duration is capped', spec: { leaseDurationSeconds: 2_000_000_000 }, wantMs: 300_000 },
		].map(({ words, spec, wantMs }) => ({
			title: `${words}: ${spec.leaseDurationSeconds} s are ${wantMs / 1000} s`,
			async run(stage: LeaseStage) {
				const pod = stage.pod();
				const key = stage.key();
				await stage.plant(pod.lock.leaseName(key), { ...STRANGER, ...spec });
				await expectTakenAfter(stage, pod, key, wantMs);
			},
		})),
		{
			title: 'a lease with no field at all expires after our own duration',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const nothing: LeaseSpec = {};
				await stage.plant(pod.lock.leaseName(key), nothing);
				await expectTakenAfter(stage, pod, key, 30_000);
			},
		},
		{
			title: 'an observation outlives the waiter that made it',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await stage.plant(pod.lock.leaseName(key), STRANGER);
				await expectContended(pod, key);
				expect(pod.lock.activeKeys).toBe(0);
				await stage.time.advance(20_000);
				expect(await expectContended(pod, key)).toBe(10_000);
				await stage.time.advance(10_000);
				await acquire(pod, key);
			},
		},
		...[
			{ words: 'a lease that only the watch has seen expires by that observation', first: 'watch' },
			{ words: 'a lease that only the list before the watch has seen expires by that observation', first: 'plant' },
		].map(({ words, first }) => ({
			title: words,
			run: (stage: LeaseStage) => expectSeenUnasked(stage, first),
		})),
		{
			title: 'a change of a lease starts its time anew',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const name = pod.lock.leaseName(key);
				pod.lock.seen(stage.toLease(await stage.plant(name, STRANGER)));
				await stage.time.advance(29_000);
				pod.lock.seen(stage.toLease(await stage.overwrite(name, { renewTime: microTime(new Date()) })));
				expect(await expectContended(pod, key)).toBe(30_000);
			},
		},
		{
			title: 'the same version seen again, or an older one seen late, does not start the time anew',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const name = pod.lock.leaseName(key);
				const old = stage.toLease(await stage.plant(name, STRANGER));
				const current = stage.toLease(await stage.overwrite(name, { renewTime: microTime(new Date()) }));
				pod.lock.seen(current);
				await stage.time.advance(20_000);
				pod.lock.seen(current);
				pod.lock.seen(old);
				pod.lock.observations.replaceAll([current], current.resourceVersion);
				expect(await expectContended(pod, key)).toBe(10_000);
			},
		},
	],
};
