import { describe, expect, it } from 'vitest';
import { gatherWhileMoreCome } from './gather.ts';

/** `arrivals`: how many come in each turn; a turn takes `turnMs`. */
async function gather(arrivals: readonly number[], turnMs = 1): Promise<{ turns: number; size: number }> {
	let turns = 0;
	let size = 1;
	const turn = async () => {
		size += arrivals[turns] ?? 0;
		turns++;
	};
	await gatherWhileMoreCome({ turn, now: () => turns * turnMs })(() => size);
	return { turns, size };
}

describe('gathering', () => {
	it.each([
		{ name: 'for a few turns when no signal comes', arrivals: [], want: { turns: 3, size: 1 } },
		{ name: 'as long as every turn brings a signal', arrivals: [5, 5, 5, 5], want: { turns: 7, size: 21 } },
		{ name: 'over a pause of two turns', arrivals: [1, 0, 0, 1], want: { turns: 7, size: 3 } },
		{ name: 'not over a longer one', arrivals: [1, 0, 0, 0, 9], want: { turns: 4, size: 2 } },
	])('a group stays open $name', async ({ arrivals, want }) => {
		expect(await gather(arrivals)).toEqual(want);
	});

	it('a group closes after 150 ms, however many signals come', async () => {
		const { turns } = await gather(Array.from({ length: 1000 }, () => 1));
		expect(turns).toBe(150);
	});

	it('a group closes after one turn that takes longer than the limit', async () => {
		expect(await gather([1, 1, 1], 200)).toEqual({ turns: 1, size: 2 });
	});
});
