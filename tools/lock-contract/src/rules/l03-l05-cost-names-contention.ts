import { expect } from 'vitest';
import { acquire, expectContended } from '../exam-room.ts';
import { eventually } from '../patience.ts';
import type { Rule } from '../rule.ts';

export const L3: Rule = {
	id: 'L3',
	title: 'uncontended, acquire is exactly one write (create), release exactly one (delete)',
	checks: [
		{
			title: 'the client is asked to create and to remove, and for nothing else',
			async run(room) {
				const pod = room.pod();
				const held = await acquire(pod, room.key());
				expect(pod.client.verbs()).toEqual(['create']);
				await pod.lock.release(held);
				expect(pod.client.verbs()).toEqual(['create', 'remove']);
			},
		},
		{
			title: 'the API server itself counted no more',
			async run(room) {
				const { audit, namespace } = room.site;
				const pod = room.pod();
				const key = room.key();
				const mark = audit?.mark() ?? 0;
				await pod.lock.withLock(key, async () => {});
				await eventually(() => expect(pod.lock.activeKeys).toBe(0));
				if (audit === undefined) return; // an API server that is not ours to read the log of
				const calls = () =>
					audit.calls(mark, { namespace, resource: 'leases' }).filter(({ name }) => name === pod.lock.leaseName(key));
				await eventually(() => expect(calls()).toHaveLength(2));
				expect(calls().map(({ verb, code }) => `${verb} ${code}`)).toEqual(['create 201', 'delete 200']);
			},
		},
	],
};

export const L4: Rule = {
	id: 'L4',
	title: 'holder = <POD_NAME>_<nonce>, new for each acquisition; nobody guesses a name in a cluster',
	checks: [
		{
			title: 'the holder is the pod and a nonce, in the Lease as in the hand',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				expect(held.holder.startsWith(`${pod.name}_`)).toBe(true);
				expect(held.holder.slice(pod.name.length + 1)).toMatch(/^[0-9a-z]{12,}$/);
				expect((await room.leaseOf(pod, key))?.spec.holderIdentity).toBe(held.holder);
			},
		},
		{
			title: 'every acquisition has a holder of its own',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const holders = new Set<string>();
				for (let round = 0; round < 5; round++) {
					const held = await acquire(pod, key);
					holders.add(held.holder);
					await pod.lock.release(held);
				}
				expect(holders.size).toBe(5);
			},
		},
		{
			title:
				'in a cluster a missing POD_NAME or POD_NAMESPACE refuses to start; outside, host name and pid, with a warning',
			async run({ site }) {
				const { identify } = site.rooms.identity;
				const cluster = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
				expect(identify({ podNamespace: 'x' }, cluster)).toEqual({ problem: expect.stringContaining('POD_NAME ') });
				expect(identify({ podName: 'x' }, cluster)).toEqual({ problem: expect.stringContaining('POD_NAMESPACE') });
				expect(identify({ podName: 'x', podNamespace: 'y' }, cluster)).toEqual({ podName: 'x', podNamespace: 'y' });
				expect(identify({}, {})).toMatchObject({
					podName: expect.stringMatching(new RegExp(`-${process.pid}$`)),
					warning: expect.stringContaining('POD_NAME'),
				});
			},
		},
	],
};

export const L5: Rule = {
	id: 'L5',
	title: 'contention is a value that names the holder, never an exception',
	checks: [
		{
			title: 'both ways of asking name the holder, and when to come back',
			async run(room) {
				const [first, second] = [room.pod(), room.pod()];
				const key = room.key();
				const held = await acquire(first, key);
				expect(await expectContended(first, key, held.holder)).toBeGreaterThan(0); // by itself
				const retryAfterMs = await expectContended(second, key, held.holder);
				expect(retryAfterMs).toBeGreaterThan(0);
				expect(retryAfterMs).toBeLessThanOrEqual(30_000);
				let ran = false;
				const work = second.lock.withLock(key, async () => {
					ran = true;
				});
				expect(await work).toMatchObject({ outcome: 'contended', holder: held.holder });
				expect(ran, 'contended work ran').toBe(false);
				expect(await second.lock.inspect(key)).toMatchObject({ holder: held.holder, transitions: 0 });
			},
		},
		{
			title: 'it is the present holder, also when no watch told of the change',
			async run(room) {
				const [first, second, third] = [room.pod(), room.pod(), room.pod()];
				const key = room.key();
				const before = await acquire(first, key);
				await expectContended(third, key, before.holder);
				await first.lock.release(before);
				const present = await acquire(second, key);
				await expectContended(third, key, present.holder);
			},
		},
		{
			title: 'a lease without a holder is contended too, by somebody unknown',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				await room.plant(pod.lock.leaseName(key), {});
				await expectContended(pod, key, 'unknown');
			},
		},
	],
};
