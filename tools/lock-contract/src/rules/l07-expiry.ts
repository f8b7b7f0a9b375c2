import { expect } from 'vitest';
import { acquire, type ExamRoom, expectContended, type Pod } from '../exam-room.ts';
import { eventually } from '../patience.ts';
import { type LeaseSpec, microTime } from '../raw-lease.ts';
import type { Rule } from '../rule.ts';

const HOUR_MS = 3_600_000;
const STRANGER = { holderIdentity: 'stranger_1', leaseDurationSeconds: 30, leaseTransitions: 0 };

/** Not a moment before, and then at once. */
async function expectTakenAfter(room: ExamRoom, pod: Pod, key: string, ms: number): Promise<void> {
	const remainingMs = await expectContended(pod, key);
	expect(remainingMs).toBe(ms);
	await room.time.advance(ms - 1);
	await expectContended(pod, key);
	await room.time.advance(1);
	await acquire(pod, key);
}

async function expectSeenUnasked(room: ExamRoom, first: string): Promise<void> {
	const pod = room.pod();
	const key = room.key();
	if (first === 'watch') await room.watch(pod);
	await room.plant(pod.lock.leaseName(key), STRANGER, { 'kubernaut.ai/lock': room.site.app });
	if (first === 'plant') await room.watch(pod);
	await eventually(() => expect(pod.lock.observations.size).toBe(1));
	await room.time.advance(30_000);
	await acquire(pod, key);
}

export const L7: Rule = {
	id: 'L7',
	title: 'expiry is the age of the last change that we saw, on our own monotonic clock',
	checks: [
		...[
			{ words: 'an hour in the past', offset: -HOUR_MS },
			{ words: 'an hour in the future', offset: HOUR_MS },
		].map(({ words, offset }) => ({
			title: `a lease with times ${words} is neither taken early nor pinned`,
			async run(room: ExamRoom) {
				const pod = room.pod();
				const key = room.key();
				const time = microTime(new Date(pod.clock.wallTime().getTime() + offset));
				await room.plant(pod.lock.leaseName(key), { ...STRANGER, acquireTime: time, renewTime: time });
				await expectTakenAfter(room, pod, key, 30_000);
			},
		})),
		...[
			{ words: "a peer's longer duration is honoured", spec: { leaseDurationSeconds: 60 }, wantMs: 60_000 },
			{ words: "a peer's shorter duration is honoured", spec: { leaseDurationSeconds: 5 }, wantMs: 5000 },
			{ words: 'an absurd duration pins nothing', spec: { leaseDurationSeconds: 2_000_000_000 }, wantMs: 300_000 },
		].map(({ words, spec, wantMs }) => ({
			title: `${words}: ${spec.leaseDurationSeconds} s are ${wantMs / 1000} s`,
			async run(room: ExamRoom) {
				const pod = room.pod();
				const key = room.key();
				await room.plant(pod.lock.leaseName(key), { ...STRANGER, ...spec });
				await expectTakenAfter(room, pod, key, wantMs);
			},
		})),
		{
			title: 'a lease with no field at all pins nothing, and lasts as long as one of ours',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const nothing: LeaseSpec = {};
				await room.plant(pod.lock.leaseName(key), nothing);
				await expectTakenAfter(room, pod, key, 30_000);
			},
		},
		{
			title: 'what was seen outlives the waiter who saw it',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				await room.plant(pod.lock.leaseName(key), STRANGER);
				await expectContended(pod, key);
				expect(pod.lock.activeKeys).toBe(0);
				await room.time.advance(20_000);
				expect(await expectContended(pod, key)).toBe(10_000);
				await room.time.advance(10_000);
				await acquire(pod, key);
			},
		},
		...[
			{ words: 'the watch sees it before anybody asks', first: 'watch' },
			{ words: 'so does the list before the watch', first: 'plant' },
		].map(({ words, first }) => ({
			title: words,
			run: (room: ExamRoom) => expectSeenUnasked(room, first),
		})),
		{
			title: 'a change starts the time anew',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const name = pod.lock.leaseName(key);
				pod.lock.seen(room.toLease(await room.plant(name, STRANGER)));
				await room.time.advance(29_000);
				pod.lock.seen(room.toLease(await room.overwrite(name, { renewTime: microTime(new Date()) })));
				expect(await expectContended(pod, key)).toBe(30_000);
			},
		},
		{
			title: 'seeing the same version again, or an older one late, does not',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const name = pod.lock.leaseName(key);
				const old = room.toLease(await room.plant(name, STRANGER));
				const current = room.toLease(await room.overwrite(name, { renewTime: microTime(new Date()) }));
				pod.lock.seen(current);
				await room.time.advance(20_000);
				pod.lock.seen(current);
				pod.lock.seen(old);
				pod.lock.observations.replaceAll([current], current.resourceVersion);
				expect(await expectContended(pod, key)).toBe(10_000);
			},
		},
	],
};
