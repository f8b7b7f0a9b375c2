import { describe, expect, it } from 'vitest';
import { figuresOf, Tally } from './figures.ts';

const answer = (status: number, text = '') => ({ status, ms: 1, text });
const call = (verb: string, resource: string) => ({
	verb,
	resource,
	userAgent: '',
	user: '',
	namespace: '',
	name: '',
	code: 200,
});

describe('figures of a storm', () => {
	it('answers are counted by their code, and counts are added up', () => {
		const answers = [answer(201), answer(202), answer(202), answer(500), answer(503)];
		expect(figuresOf({ answers, counts: [2, 1], calls: [], lastAnswerMs: 12 })).toMatchObject({
			signals: 5,
			created: 1,
			counted: 2,
			failed: 2,
			requests: 2,
			occurrences: 3,
			calls: 0,
			lastAnswerMs: 12,
		});
	});
	it('calls are counted by what they ask, the most frequent first', () => {
		const calls = [call('get', 'leases'), call('create', 'leases'), call('get', 'leases')];
		expect(figuresOf({ answers: [], counts: [], calls, lastAnswerMs: 0 })).toMatchObject({
			calls: 3,
			callsBy: [
				{ what: 'get leases', times: 2 },
				{ what: 'create leases', times: 1 },
			],
		});
	});
	it('calls that were not counted are not zero', () => {
		expect(figuresOf({ answers: [], counts: [], calls: undefined, lastAnswerMs: 0 }).calls).toBeUndefined();
	});
	it.each([
		{ body: '{"outcome":"failed","message":"lock acquisition timeout"}', want: '503: lock acquisition timeout' },
		{ body: '{"title":"Busy","detail":"come back later"}', want: '503: come back later' },
		{ body: 'no  JSON\nat all', want: '503: no JSON at all' },
		{ body: 'x'.repeat(200), want: `503: ${'x'.repeat(100)}...` },
	])('a failed answer is quoted: $want', ({ body, want }) => {
		const { failures } = figuresOf({ answers: [answer(503, body)], counts: [], calls: [], lastAnswerMs: 0 });
		expect(failures).toEqual([{ words: want, times: 1 }]);
	});
});

it('a tally says how many are in, by code, and keeps the order of the codes', () => {
	const tally = new Tally(4);
	expect(tally.describe()).toBe('0 of 4 answered    201: 0    202: 0');
	for (const status of [503, 202, 201, 503]) tally.add(status);
	expect(tally.describe()).toBe('4 of 4 answered    201: 1    202: 1    503: 2');
});
