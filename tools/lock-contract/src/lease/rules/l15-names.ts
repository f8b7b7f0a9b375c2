import { expect } from 'vitest';
import { acquire, expectContended } from '../../any-lock/answers.ts';
import { DIFFERENT_KEYS } from '../../any-lock/rules/l15-keys.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L15: Rule<LeaseStage> = {
	id: 'L15',
	title: 'lease names: prefix + hash of the key; the readable key in an annotation, the app in a label',
	checks: [
		{
			title: 'every key has a valid lease name of its own, with the key in an annotation and the app in a label',
			async run(stage) {
				const pod = stage.pod();
				for (const key of DIFFERENT_KEYS) {
					const held = await acquire(pod, key);
					const lease = await stage.leaseOf(pod, key);
					expect(lease?.metadata.annotations?.['kubernaut.ai/lock-key']).toBe(key);
					expect(lease?.metadata.labels).toMatchObject({ 'kubernaut.ai/lock': stage.site.app });
					expect(held.key).toBe(key);
				}
				const names = DIFFERENT_KEYS.map((key) => pod.lock.leaseName(key));
				expect(new Set(names).size).toBe(DIFFERENT_KEYS.length);
				for (const name of names) {
					expect(name).toMatch(/^[a-z]([a-z0-9-]*[a-z0-9])?$/);
					expect(name.length).toBeLessThanOrEqual(63);
					expect(name.startsWith(stage.site.modules.lock.LOCK_PREFIX)).toBe(true);
				}
			},
		},
		{
			title: 'every pod gives a key the same lease name',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				for (const key of DIFFERENT_KEYS) expect(second.lock.leaseName(key)).toBe(first.lock.leaseName(key));
			},
		},
		{
			title: 'a takeover keeps label and annotation',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await stage.plant(pod.lock.leaseName(key), { holderIdentity: 'dead_1', leaseDurationSeconds: 30 });
				await expectContended(pod, key);
				await stage.time.advance(30_000);
				await acquire(pod, key);
				expect((await stage.leaseOf(pod, key))?.metadata).toMatchObject({
					labels: { 'kubernaut.ai/lock': stage.site.app },
					annotations: { 'kubernaut.ai/lock-key': key },
				});
			},
		},
	],
};
