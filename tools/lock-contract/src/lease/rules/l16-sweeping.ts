import { expect } from 'vitest';
import { acquire, expectContended } from '../../any-lock/answers.ts';
import { eventually, within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

const DEAD = { holderIdentity: 'dead_1', leaseDurationSeconds: 30 };

async function sweepingPod(stage: LeaseStage) {
	const pod = stage.pod();
	await stage.watch(pod, 'all');
	pod.lock.start();
	return pod;
}

export const L16: Rule<LeaseStage> = {
	id: 'L16',
	title: 'the sweeper removes orphans of its own app only, after several durations without change; never a live lease',
	checks: [
		{
			title: 'an orphan is removed after several durations, not before',
			async run(stage) {
				const pod = await sweepingPod(stage);
				const name = pod.lock.leaseName(stage.key());
				await stage.plant(name, DEAD, { 'kubernaut.ai/lock': stage.site.app });
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				await stage.time.advance(60_000);
				expect(await stage.lease(name)).toBeDefined();
				await stage.time.advance(90_000);
				expect(await stage.lease(name)).toBeUndefined();
				expect(pod.observer.events).toEqual([{ name: 'swept', lease: name, holder: 'dead_1' }]);
			},
		},
		{
			title: 'a live lease is never removed, with a watch',
			async run(stage) {
				const pod = await sweepingPod(stage);
				const holder = stage.pod();
				const key = stage.key();
				const held = await acquire(holder, key);
				for (let seconds = 0; seconds < 300; seconds += 10) {
					await stage.time.advance(10_000);
					const version = (await stage.leaseOf(holder, key))?.metadata.resourceVersion;
					expect(version, 'a live lease was swept').toBeDefined();
				}
				expect(() => held.assertHeld()).not.toThrow();
				expect(pod.observer.count('swept')).toBe(0);
			},
		},
		{
			title: 'a live lease is never removed, without a watch, however old its observation is',
			async run(stage) {
				const [pod, holder] = [stage.pod(), stage.pod()];
				const key = stage.key();
				pod.lock.start();
				const held = await acquire(holder, key);
				await expectContended(pod, key);
				await stage.time.advance(300_000);
				expect(await stage.leaseOf(holder, key)).toBeDefined();
				expect(() => held.assertHeld()).not.toThrow();
				expect(pod.observer.count('swept')).toBe(0);
			},
		},
		{
			title: 'a lease that changes while it is being swept stays',
			async run(stage) {
				const pod = await sweepingPod(stage);
				const name = pod.lock.leaseName(stage.key());
				await stage.plant(name, DEAD, { 'kubernaut.ai/lock': stage.site.app });
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				const gate = pod.client.holdBefore('remove');
				await stage.time.advance(150_000);
				await within('the sweep', gate.reached);
				await stage.overwrite(name, { holderIdentity: 'alive_1' });
				gate.open();
				await stage.settled();
				expect((await stage.lease(name))?.spec.holderIdentity).toBe('alive_1');
				expect(pod.observer.count('swept')).toBe(0);
			},
		},
		{
			title: 'leases of other apps stay, even if the watch shows them',
			async run(stage) {
				const pod = await sweepingPod(stage);
				const others = ['other-lock-1234', 'kube-scheduler'];
				const ours = pod.lock.leaseName(stage.key());
				const planted = [await stage.plant(ours, DEAD, { 'kubernaut.ai/lock': stage.site.app })];
				for (const name of others) planted.push(await stage.plant(name, DEAD, { 'kubernaut.ai/lock': 'other' }));
				for (const lease of planted) pod.lock.seen(stage.toLease(lease));
				await stage.settled();
				await stage.time.advance(300_000);
				expect(await stage.lease(ours)).toBeUndefined();
				for (const name of others) expect(await stage.lease(name), `${name} was swept`).toBeDefined();
			},
		},
		{
			title: 'sweeping goes on after an outage of the API server, and ends with the shutdown',
			async run(stage) {
				const pod = await sweepingPod(stage);
				const name = pod.lock.leaseName(stage.key());
				await stage.plant(name, DEAD, { 'kubernaut.ai/lock': stage.site.app });
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				pod.client.cutOff(stage.fault('unavailable'));
				await stage.time.advance(150_000);
				expect(await stage.lease(name)).toBeDefined();
				pod.client.cutOff(undefined);
				await stage.time.advance(60_000);
				expect(await stage.lease(name)).toBeUndefined();
				await pod.lock.shutdown(0);
				expect(pod.clock.pending).toBe(0);
			},
		},
	],
};
