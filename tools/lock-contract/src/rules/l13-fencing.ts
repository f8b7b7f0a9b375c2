import { expect } from 'vitest';
import { acquire, expectContended } from '../exam-room.ts';
import type { Rule } from '../rule.ts';

export const L13: Rule = {
	id: 'L13',
	title: 'fencingToken = resourceVersion of the acquiring write, strictly growing per key',
	checks: [
		{
			title: 'over holders, takeovers, deletions and re-creations',
			async run(room) {
				const [first, second] = [room.pod(), room.pod()];
				const key = room.key();
				const tokens: bigint[] = [];
				for (const pod of [first, second, first]) {
					const held = await acquire(pod, key);
					expect(String(held.fencingToken)).toBe((await room.leaseOf(pod, key))?.metadata.resourceVersion);
					tokens.push(held.fencingToken);
					await pod.lock.release(held);
				}
				const sleeper = await acquire(first, key);
				tokens.push(sleeper.fencingToken);
				await room.time.advance(20_000); // two renewals, which are not acquisitions
				expect(sleeper.fencingToken).toBe(tokens.at(-1));
				await expectContended(second, key);
				first.clock.stopped = true;
				await room.time.advance(30_000);
				const taken = await acquire(second, key);
				expect(String(taken.fencingToken)).toBe((await room.leaseOf(second, key))?.metadata.resourceVersion);
				tokens.push(taken.fencingToken);
				await room.remove(second.lock.leaseName(key));
				tokens.push((await acquire(room.pod(), key)).fencingToken);
				for (const token of tokens) expect(typeof token).toBe('bigint');
				expect(tokens).toEqual([...new Set(tokens)].toSorted((a, b) => (a < b ? -1 : 1)));
			},
		},
	],
};
