import { expect } from 'vitest';
import { acquire } from '../../any-lock/answers.ts';
import { eventually } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L3: Rule<LeaseStage> = {
	id: 'L3',
	title: 'uncontended, acquire is exactly one write (create), release exactly one (delete)',
	checks: [
		{
			title: 'acquiring and releasing a free key is one create and one remove of the client, and nothing else',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				expect(pod.client.verbs()).toEqual(['create']);
				await pod.lock.release(held);
				expect(pod.client.verbs()).toEqual(['create', 'remove']);
			},
		},
		{
			title: 'the audit log of the API server shows one create and one delete',
			async run(stage) {
				const { audit, namespace } = stage.site;
				const pod = stage.pod();
				const key = stage.key();
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
