import { expect } from 'vitest';
import { acquire, expectContended } from '../exam-room.ts';
import type { Rule } from '../rule.ts';

/** Keys that differ, and that a careless name would make one, or make invalid. */
const KEYS = [
	'prod/Deployment/api',
	'prod-Deployment-api',
	'prod/deployment/api',
	'prod/Deployment-api',
	'Node/worker-1',
	'a'.repeat(5000),
	`${'a'.repeat(5000)}b`,
	'schlüssel/🔑',
	' spaces and_underscores ',
	'.',
	'',
] as const;

export const L15: Rule = {
	id: 'L15',
	title: 'lease names: prefix + hash of the key; the readable key in an annotation, the app in a label',
	checks: [
		{
			title: 'every key has a name of its own that the API server takes, and its key beside it',
			async run(room) {
				const pod = room.pod();
				for (const key of KEYS) {
					const held = await acquire(pod, key);
					const lease = await room.leaseOf(pod, key);
					expect(lease?.metadata.annotations?.['kubernaut.ai/lock-key']).toBe(key);
					expect(lease?.metadata.labels).toMatchObject({ 'kubernaut.ai/lock': room.site.app });
					expect(held.key).toBe(key);
				}
				const names = KEYS.map((key) => pod.lock.leaseName(key));
				expect(new Set(names).size).toBe(KEYS.length);
				for (const name of names) {
					expect(name).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/);
					expect(name.length).toBeLessThanOrEqual(63);
					expect(name.startsWith(room.site.rooms.lock.LOCK_PREFIX)).toBe(true);
				}
			},
		},
		{
			title: 'all pods give a key the same name',
			async run(room) {
				const [first, second] = [room.pod(), room.pod()];
				for (const key of KEYS) expect(second.lock.leaseName(key)).toBe(first.lock.leaseName(key));
			},
		},
		{
			title: 'a takeover keeps label and annotation',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				await room.plant(pod.lock.leaseName(key), { holderIdentity: 'dead_1', leaseDurationSeconds: 30 });
				await expectContended(pod, key);
				await room.time.advance(30_000);
				await acquire(pod, key);
				expect((await room.leaseOf(pod, key))?.metadata).toMatchObject({
					labels: { 'kubernaut.ai/lock': room.site.app },
					annotations: { 'kubernaut.ai/lock-key': key },
				});
			},
		},
	],
};
