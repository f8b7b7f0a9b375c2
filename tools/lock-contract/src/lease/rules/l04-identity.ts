import { expect } from 'vitest';
import { acquire } from '../../any-lock/answers.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L4: Rule<LeaseStage> = {
	id: 'L4',
	title: 'holder = <POD_NAME>_<nonce>, new for each acquisition; no guessed name in a cluster',
	checks: [
		{
			title: 'the holder is the pod name and a nonce, in the Lease and in the held lock',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				expect(held.holder.startsWith(`${pod.name}_`)).toBe(true);
				expect(held.holder.slice(pod.name.length + 1)).toMatch(/^[0-9a-z]{12,}$/);
				expect((await stage.leaseOf(pod, key))?.spec.holderIdentity).toBe(held.holder);
			},
		},
		{
			title: 'every acquisition has a holder of its own',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
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
				'a missing POD_NAME or POD_NAMESPACE is a problem in a cluster; outside, host name and pid, with a warning',
			async run({ site }) {
				const { identify } = site.modules.identity;
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
