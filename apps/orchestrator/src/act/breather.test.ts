import { expect, it } from 'vitest';
import { createBreather } from './breather.ts';

it('work that has not taken long goes on without a break', () => {
	let now = 0;
	const breathe = createBreather(() => now, 10);
	now = 9;
	expect(breathe()).toBeUndefined();
	now = 10;
	expect(breathe()).toBeInstanceOf(Promise);
});

it('of several that work for long, one goes on in each round of the event loop', async () => {
	let now = 0;
	let round = 0;
	const breathe = createBreather(() => now, 10);
	const seen: { who: string; round: number }[] = [];
	const counting = setInterval(() => {}, 1);
	const countRounds = () => {
		round++;
		if (seen.length < 6) setImmediate(countRounds);
	};
	setImmediate(countRounds);
	const work = async (who: string) => {
		for (let step = 0; step < 2; step++) {
			now += 10;
			await breathe();
			seen.push({ who, round });
		}
	};
	await Promise.all(['a', 'b', 'c'].map(work));
	clearInterval(counting);
	expect(seen.map(({ who }) => who).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
	expect(new Set(seen.map((one) => one.round)).size).toBe(6);
});
