import { describe, expect, it } from 'vitest';
import { answerBatch, answerOne } from './batch-answer.ts';
import { PROBLEMS } from './problem.ts';
import { deferred, type HandledSignal, handledFrom, rejected } from './signal-result.ts';

const fingerprint = 'a'.repeat(64);
const request = { name: 'rr-1', namespace: 'ns' };
const created = handledFrom({ outcome: 'created', request, occurrenceCount: 1 }, fingerprint);
const duplicate = handledFrom({ outcome: 'duplicate', request, occurrenceCount: 7 }, fingerprint);
const resolved = handledFrom({ outcome: 'resolved', request }, fingerprint);
const nothingToResolve = handledFrom({ outcome: 'resolved' }, fingerprint);
const busy = deferred(fingerprint, { because: 'lock-timeout', retryAfterMs: 1500 });
const starting = deferred(fingerprint, { because: 'starting', retryAfterMs: 9000 });
const rejectedByApi = handledFrom({ outcome: 'rejected', message: 'spec.x is wrong' }, fingerprint);
const malformed = rejected('no name');
const outOfTime = deferred(fingerprint, { because: 'deadline', retryAfterMs: 1000 });

function codeOf(handled: HandledSignal[]): number {
	const answer = answerBatch(handled);
	return 'code' in answer ? answer.code : PROBLEMS[answer.problem].status;
}

describe('the answer to a batch', () => {
	it.each([
		{ of: 'created', handled: [created], want: 201 },
		{ of: 'duplicate', handled: [duplicate], want: 202 },
		{ of: 'resolved', handled: [resolved], want: 200 },
		{ of: 'resolved that was not active', handled: [nothingToResolve], want: 200 },
		{ of: 'created and duplicate', handled: [duplicate, created], want: 201 },
		{ of: 'duplicate and resolved', handled: [resolved, duplicate], want: 202 },
		{ of: 'created and rejected by the API', handled: [created, rejectedByApi], want: 207 },
		{ of: 'created and malformed', handled: [created, malformed], want: 207 },
		{ of: 'rejected by the API alone', handled: [rejectedByApi], want: 207 },
		{ of: 'rejected by the API and malformed', handled: [rejectedByApi, malformed], want: 207 },
		{ of: 'malformed only', handled: [malformed, malformed], want: 400 },
		{ of: 'deferred', handled: [busy], want: 503 },
		{ of: 'created and deferred', handled: [created, busy], want: 503 },
		{ of: 'rejected by the API and deferred', handled: [rejectedByApi, busy], want: 503 },
		{ of: 'malformed and deferred', handled: [malformed, busy], want: 503 },
		{ of: 'out of time', handled: [created, outOfTime], want: 504 },
		{ of: 'out of time and deferred', handled: [outOfTime, busy], want: 503 },
	])('the answer to a batch of $of is $want', ({ handled, want }) => {
		expect(codeOf(handled)).toBe(want);
	});

	it('the answer to a batch has every result in order, whatever the code', () => {
		for (const handled of [[created, duplicate, resolved], [created, rejectedByApi], [created, busy], [malformed]]) {
			const answer = answerBatch(handled);
			const results = 'code' in answer ? (answer.body as { results: unknown }).results : answer.results;
			expect(results).toEqual(handled.map(({ result }) => result));
		}
	});

	it('the answer about one alert has the fields of its result at the top level', () => {
		expect(answerBatch([duplicate])).toMatchObject({
			body: {
				status: 'duplicate',
				fingerprint,
				duplicate: true,
				remediationRequestName: 'rr-1',
				remediationRequestNamespace: 'ns',
				occurrenceCount: 7,
				message: expect.any(String),
			},
		});
	});

	it('the answer about several alerts counts them by status', () => {
		expect(answerBatch([created, duplicate, duplicate, rejectedByApi])).toMatchObject({
			body: { status: 'partial', message: '1 created, 2 duplicate, 1 rejected' },
		});
	});

	it('Retry-After is the longest of the deferred signals', () => {
		expect(answerBatch([busy, starting, created])).toMatchObject({ retryAfterMs: 9000 });
	});
});

describe('the answer to one signal', () => {
	it.each([
		{ handled: created, want: { code: 201, body: created.result } },
		{ handled: duplicate, want: { code: 202, body: duplicate.result } },
		{ handled: rejectedByApi, want: { problem: 'REQUEST_INVALID', detail: expect.stringContaining('for good') } },
		{ handled: malformed, want: { problem: 'REQUEST_INVALID', detail: 'no name' } },
		{ handled: busy, want: { problem: 'SIGNALS_DEFERRED', retryAfterMs: 1500 } },
		{ handled: outOfTime, want: { problem: 'DEADLINE_EXCEEDED', retryAfterMs: 1000 } },
	])('the answer to one signal that is $handled.result.status is $want', ({ handled, want }) => {
		expect(answerOne(handled)).toMatchObject(want);
	});
});
