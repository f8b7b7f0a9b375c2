import { describe, expect, it } from 'vitest';
import { brokenPromises, callsInWords, patternInWords, tableOf } from './comparison.ts';
import type { StormFigures } from './figures.ts';

const OURS: StormFigures = {
	signals: 100,
	created: 1,
	counted: 99,
	failed: 0,
	failures: [],
	requests: 1,
	occurrences: 100,
	calls: 12,
	callsBy: [
		{ what: 'patch remediationrequests/status', times: 9 },
		{ what: 'create leases', times: 3 },
	],
	lastAnswerMs: 143.4,
};
const THEIRS: StormFigures = {
	signals: 100,
	created: 8,
	counted: 51,
	failed: 41,
	failures: [
		{ words: '503: lock acquisition timeout', times: 40 },
		{ words: '500: conflict', times: 1 },
	],
	requests: 8,
	occurrences: 63,
	calls: 2804,
	callsBy: [],
	lastAnswerMs: 9240,
};

describe('the table', () => {
	it('puts two storms side by side', () => {
		const columns = [
			{ title: 'ours', figures: OURS },
			{ title: 'theirs', figures: THEIRS },
		];
		expect(`${tableOf(columns).join('\n')}\n`).toBe(`\
                                  ours       theirs
answered 201 (created)               1            8
answered 202 (counted)              99           51
failed                               0           41
RemediationRequests made             1            8
occurrences they count      100 of 100    63 of 100
API calls                           12        2,804
API calls per signal              0.12        28.04
last answer after               143 ms        9.2 s
`);
	});
	it('says that calls were not counted where they were not', () => {
		const table = tableOf([{ title: 'ours', figures: { ...OURS, calls: undefined } }]);
		expect(table.filter((line) => line.includes('not counted'))).toHaveLength(2);
		expect(callsInWords({ ...OURS, calls: undefined })).toContain('does not keep');
	});
	it('says what the calls were', () => {
		expect(callsInWords(OURS)).toBe('The calls: 9 patch remediationrequests/status, 3 create leases.');
	});
});

describe('what the gateway promises', () => {
	it('is kept by one request that counts all', () => {
		expect(brokenPromises(OURS)).toEqual([]);
	});
	it.each([
		{ broken: { requests: 2 }, want: '2 RemediationRequests were made of one incident, not 1.' },
		{ broken: { requests: 0 }, want: '0 RemediationRequests were made of one incident, not 1.' },
		{ broken: { occurrences: 99 }, want: '99 occurrences are counted, not 100.' },
		{ broken: { failed: 3 }, want: '3 of 100 senders were not answered with 201 or 202.' },
	])('is broken: $want', ({ broken, want }) => {
		expect(brokenPromises({ ...OURS, ...broken })).toEqual([want]);
	});
});

describe('what is said of the pattern is what happened', () => {
	const said = (change: Partial<StormFigures>) => patternInWords(OURS, { ...THEIRS, ...change }).join('\n');

	it('several requests, errors, lost counts, more calls, more time', () => {
		expect(said({})).toBe(`\
It made 8 requests of one incident. Its lock names the pod as holder, so what runs inside one pod
is not kept apart: several look, find nothing, and create.
41 of 100 senders got an error, most often:
  503: lock acquisition timeout
37 alerts are counted nowhere.
It asked the API server 234 times as often, and its last answer took 64 times as long.`);
	});
	it('one request is shown as one, with what it depends on', () => {
		const text = said({ requests: 1, occurrences: 100, failed: 0, failures: [] });
		expect(text).toContain('This time it made one request. That is a matter of timing');
		expect(text).not.toMatch(/error|counted/);
	});
	it('no request at all', () => {
		expect(said({ requests: 0, occurrences: 0 })).toContain('This time it made no request at all.');
	});
	it('more counted than sent', () => {
		expect(said({ occurrences: 104 })).toContain('4 more are counted than were sent.');
	});
	it('an answer that was faster is called faster', () => {
		expect(said({ lastAnswerMs: 71.7 })).toContain('its last answer was 2.0 times faster.');
	});
	it('calls that were not counted are not compared', () => {
		expect(said({ calls: undefined })).toMatch(/\nIts last answer took 64 times as long\.$/);
	});
});
