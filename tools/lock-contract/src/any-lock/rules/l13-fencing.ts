import { expect } from 'vitest';
import type { Rule } from '../../rule.ts';
import { acquire } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

export const L13: Rule<LockStage> = {
	id: 'L13',
	title: 'the fencing token grows with every holder of a key',
	checks: [
		{
			title: 'tokens of one key grow strictly over releases, and over a lock object that was removed by hand',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const tokens: bigint[] = [];
				for (const pod of [first, second, first, second]) {
					const held = await acquire(pod, key);
					tokens.push(held.fencingToken);
					await pod.lock.release(held);
				}
				tokens.push((await acquire(first, key)).fencingToken);
				await stage.remove(key);
				tokens.push((await acquire(second, key)).fencingToken);
				for (const token of tokens) expect(typeof token).toBe('bigint');
				expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => (a < b ? -1 : 1)));
			},
		},
	],
};
