import { expect } from 'vitest';
import type { Rule } from '../../rule.ts';
import { acquire, expectContended } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

/** Keys that differ, and that a careless name would make one, or make invalid. */
export const DIFFERENT_KEYS = [
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

export const L15: Rule<LockStage> = {
	id: 'L15',
	title: 'any text is a key, and keys that differ are different locks',
	checks: [
		{
			title: 'keys that differ are held side by side, and every pod means the same lock by a key',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				for (const key of DIFFERENT_KEYS) {
					const held = await acquire(first, key);
					expect(held.key).toBe(key);
					await expectContended(second, key, held.holder);
				}
			},
		},
	],
};
