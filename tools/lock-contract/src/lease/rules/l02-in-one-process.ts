import { expect } from 'vitest';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

const CALLERS = 50;

export const L2: Rule<LeaseStage> = {
	id: 'L2',
	title: 'inside one process callers of one key wait in line, and do not reach the API server together',
	checks: [
		{
			title: 'many callers of one key never have two creates, or two deletes, under way at once',
			async run(stage) {
				const pod = stage.podInRealTime();
				const key = stage.key();
				const calls = Array.from({ length: CALLERS }, (_, n) => pod.lock.withLock(key, async () => n));
				const results = await within('all callers are served', Promise.all(calls), 50_000);
				expect(results.filter(({ outcome }) => outcome === 'contended')).toEqual([]);
				expect(pod.client.maxAtOnce).toMatchObject({ create: 1, remove: 1 });
			},
		},
	],
};
