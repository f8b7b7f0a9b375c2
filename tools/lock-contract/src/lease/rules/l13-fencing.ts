import { expect } from 'vitest';
import { acquire, expectContended } from '../../any-lock/answers.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L13: Rule<LeaseStage> = {
	id: 'L13',
	title: 'fencingToken = resourceVersion of the acquiring write, also of a takeover',
	checks: [
		{
			title: 'tokens of one key grow strictly over releases, renewals, takeovers and deletions',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const tokens: bigint[] = [];
				for (const pod of [first, second, first]) {
					const held = await acquire(pod, key);
					expect(String(held.fencingToken)).toBe((await stage.leaseOf(pod, key))?.metadata.resourceVersion);
					tokens.push(held.fencingToken);
					await pod.lock.release(held);
				}
				const sleeper = await acquire(first, key);
				tokens.push(sleeper.fencingToken);
				await stage.time.advance(20_000); // two renewals, which are not acquisitions
				expect(sleeper.fencingToken).toBe(tokens.at(-1));
				await expectContended(second, key);
				first.clock.stopped = true;
				await stage.time.advance(30_000);
				const taken = await acquire(second, key);
				expect(String(taken.fencingToken)).toBe((await stage.leaseOf(second, key))?.metadata.resourceVersion);
				tokens.push(taken.fencingToken);
				await stage.remove(second.lock.leaseName(key));
				tokens.push((await acquire(stage.pod(), key)).fencingToken);
				for (const token of tokens) expect(typeof token).toBe('bigint');
				expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => (a < b ? -1 : 1)));
			},
		},
	],
};
