import { describe, expect, it } from 'vitest';
import { History, overlaps } from './history.ts';

const stay = (who: string, entered: number, left: number) => ({ who, entered, left });

describe('overlaps', () => {
	it.each([
		{ name: 'nothing', stays: [], want: [] },
		{ name: 'one after the other', stays: [stay('b', 2, 3), stay('a', 0, 2)], want: [] },
		{ name: 'together', stays: [stay('a', 0, 2), stay('b', 1, 3)], want: ['b entered before a had left'] },
		{
			name: 'inside a long one, after a short one',
			stays: [stay('long', 0, 9), stay('short', 1, 2), stay('late', 5, 6)],
			want: ['short entered before long had left', 'late entered before long had left'],
		},
	])('$name', ({ stays, want }) => {
		expect(overlaps(stays)).toEqual(want);
	});
});

it('records a stay also when the work fails', async () => {
	let now = 0;
	const history = new History(() => now++);
	await expect(history.record('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
	expect(history.stays).toEqual([stay('a', 0, 1)]);
});
