import { expect } from 'vitest';
import { acquire, type ExamRoom, expectContended } from '../exam-room.ts';
import { eventually, within } from '../patience.ts';
import type { Rule } from '../rule.ts';

const DEAD = { holderIdentity: 'dead_1', leaseDurationSeconds: 30 };

async function sweepingPod(room: ExamRoom) {
	const pod = room.pod();
	await room.watch(pod, 'all');
	pod.lock.start();
	return pod;
}

export const L16: Rule = {
	id: 'L16',
	title: 'the sweeper removes orphans of its own app only, after several durations without change; never a live lease',
	checks: [
		{
			title: 'an orphan goes, after several durations and not before',
			async run(room) {
				const pod = await sweepingPod(room);
				const name = pod.lock.leaseName(room.key());
				await room.plant(name, DEAD, { 'kubernaut.ai/lock': room.site.app });
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				await room.time.advance(60_000);
				expect(await room.lease(name)).toBeDefined();
				await room.time.advance(90_000);
				expect(await room.lease(name)).toBeUndefined();
				expect(pod.observer.events).toEqual([{ name: 'swept', lease: name, holder: 'dead_1' }]);
			},
		},
		{
			title: 'a live lease never does, with a watch',
			async run(room) {
				const pod = await sweepingPod(room);
				const holder = room.pod();
				const key = room.key();
				const held = await acquire(holder, key);
				for (let seconds = 0; seconds < 300; seconds += 10) {
					await room.time.advance(10_000);
					const version = (await room.leaseOf(holder, key))?.metadata.resourceVersion;
					expect(version, 'a live lease was swept').toBeDefined();
				}
				expect(() => held.assertHeld()).not.toThrow();
				expect(pod.observer.count('swept')).toBe(0);
			},
		},
		{
			title: 'a live lease never does, without a watch, however old our knowledge of it is',
			async run(room) {
				const [pod, holder] = [room.pod(), room.pod()];
				const key = room.key();
				pod.lock.start();
				const held = await acquire(holder, key);
				await expectContended(pod, key);
				await room.time.advance(300_000);
				expect(await room.leaseOf(holder, key)).toBeDefined();
				expect(() => held.assertHeld()).not.toThrow();
				expect(pod.observer.count('swept')).toBe(0);
			},
		},
		{
			title: 'a lease that comes to life while it is being swept stays',
			async run(room) {
				const pod = await sweepingPod(room);
				const name = pod.lock.leaseName(room.key());
				await room.plant(name, DEAD, { 'kubernaut.ai/lock': room.site.app });
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				const gate = pod.client.holdBefore('remove');
				await room.time.advance(150_000);
				await within('the sweep', gate.reached);
				await room.overwrite(name, { holderIdentity: 'alive_1' });
				gate.open();
				await room.settled();
				expect((await room.lease(name))?.spec.holderIdentity).toBe('alive_1');
				expect(pod.observer.count('swept')).toBe(0);
			},
		},
		{
			title: "what is not this app's stays, even if the watch shows it",
			async run(room) {
				const pod = await sweepingPod(room);
				const others = ['other-lock-1234', 'kube-scheduler'];
				const ours = pod.lock.leaseName(room.key());
				const planted = [await room.plant(ours, DEAD, { 'kubernaut.ai/lock': room.site.app })];
				for (const name of others) planted.push(await room.plant(name, DEAD, { 'kubernaut.ai/lock': 'other' }));
				for (const lease of planted) pod.lock.seen(room.toLease(lease));
				await room.settled();
				await room.time.advance(300_000);
				expect(await room.lease(ours)).toBeUndefined();
				for (const name of others) expect(await room.lease(name), `${name} was swept`).toBeDefined();
			},
		},
		{
			title: 'it goes on when the API server was away for a while, and ends with the shutdown',
			async run(room) {
				const pod = await sweepingPod(room);
				const name = pod.lock.leaseName(room.key());
				await room.plant(name, DEAD, { 'kubernaut.ai/lock': room.site.app });
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				pod.client.cutOff(room.fault('unavailable'));
				await room.time.advance(150_000);
				expect(await room.lease(name)).toBeDefined();
				pod.client.cutOff(undefined);
				await room.time.advance(60_000);
				expect(await room.lease(name)).toBeUndefined();
				await pod.lock.shutdown(0);
				expect(pod.clock.pending).toBe(0);
			},
		},
	],
};
