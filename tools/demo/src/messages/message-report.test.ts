import { describe, expect, it } from 'vitest';
import { arrivalTable, brokenMessagePromises, shortestGap } from './message-report.ts';

const REQUESTED = [
	{ name: 'a', subject: 'Remediated: x', phase: 'Sent' },
	{ name: 'b', subject: 'No matching workflow: y', phase: 'Sent' },
];

describe('messages that arrived', () => {
	it('each once at each receiver keeps the promise', () => {
		expect(brokenMessagePromises(REQUESTED, { slack: ['b', 'a'], mail: ['a', 'b'] })).toEqual([]);
	});

	it('twice, never, unasked for, or not Sent breaks it', () => {
		expect(
			brokenMessagePromises([...REQUESTED, { name: 'c', subject: 's', phase: 'Failed' }], {
				slack: ['a', 'a', 'b', 'd'],
			}),
		).toEqual([
			'c is Failed, not Sent.',
			'a arrived 2 times at slack.',
			'c arrived 0 times at slack.',
			'd arrived at slack, and nothing asked for it.',
		]);
	});

	it('are shown with how often they arrived', () => {
		expect(arrivalTable(REQUESTED, { slack: ['a'], mail: ['a', 'b', 'b'] })).toEqual([
			'SUBJECT                   PHASE   SLACK   MAIL',
			'Remediated: x             Sent    1 ×     1 ×',
			'No matching workflow: y   Sent    0 ×     2 ×',
		]);
	});

	it.each([
		[[], undefined],
		[[5], undefined],
		[[0, 1000, 2500, 3501], 1000],
	])('of %j the shortest gap is %s', (times, want) => expect(shortestGap(times)).toBe(want));
});
