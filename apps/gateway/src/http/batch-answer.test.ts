import { describe, expect, it } from 'vitest';
import { answerBatch, answerOne } from './batch-answer.ts';
import { PROBLEMS } from './problem.ts';
import { type HandledSignal, handledFrom, rejected, retried } from './signal-result.ts';

const fingerprint = 'a'.repeat(64);
const request = { name: 'rr-1', namespace: 'ns' };
const created = handledFrom({ outcome: 'created', request, occurrenceCount: 1 }, fingerprint);
const duplicate = handledFrom({ outcome: 'duplicate', request, occurrenceCount: 7 }, fingerprint);
const resolved = handledFrom({ outcome: 'resolved', request }, fingerprint);
const nothingToResolve = handledFrom({ outcome: 'resolved' }, fingerprint);
const later = handledFrom(
	{ outcome: 'later', reason: 'lock-timeout', retryAfterMs: 1500, message: 'busy' },
	fingerprint,
);
const muchLater = handledFrom(
	{ outcome: 'later', reason: 'overloaded', retryAfterMs: 9000, message: 'much' },
	fingerprint,
);
const refused = handledFrom({ outcome: 'refused', message: 'spec.x is wrong' }, fingerprint);
const unreadable = rejected('no name');
const outOfTime = retried(fingerprint, 'no time', { because: 'deadline', afterMs: 1000 });

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
		{ of: 'created and refused', handled: [created, refused], want: 207 },
		{ of: 'created and unreadable', handled: [created, unreadable], want: 207 },
		{ of: 'refused alone', handled: [refused], want: 207 },
		{ of: 'refused and unreadable', handled: [refused, unreadable], want: 207 },
		{ of: 'unreadable only', handled: [unreadable, unreadable], want: 400 },
		{ of: 'later', handled: [later], want: 503 },
		{ of: 'created and later', handled: [created, later], want: 503 },
		{ of: 'refused and later', handled: [refused, later], want: 503 },
		{ of: 'unreadable and later', handled: [unreadable, later], want: 503 },
		{ of: 'out of time', handled: [created, outOfTime], want: 504 },
		{ of: 'out of time and later', handled: [outOfTime, later], want: 503 },
	])('of $of is $want', ({ handled, want }) => {
		expect(codeOf(handled)).toBe(want);
	});

	it('has every result in order, whatever the code', () => {
		for (const handled of [[created, duplicate, resolved], [created, refused], [created, later], [unreadable]]) {
			const answer = answerBatch(handled);
			const results = 'code' in answer ? (answer.body as { results: unknown }).results : answer.results;
			expect(results).toEqual(handled.map(({ result }) => result));
		}
	});

	it('about one alert has its fields on top', () => {
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

	it('about several says how many became what', () => {
		expect(answerBatch([created, duplicate, duplicate, refused])).toMatchObject({
			body: { status: 'partial', message: '1 created, 2 duplicate, 1 rejected' },
		});
	});

	it('asks to wait until the last one can be taken', () => {
		expect(answerBatch([later, muchLater, created])).toMatchObject({ retryAfterMs: 9000 });
	});
});

describe('the answer to one signal', () => {
	it.each([
		{ handled: created, want: { code: 201, body: created.result } },
		{ handled: duplicate, want: { code: 202, body: duplicate.result } },
		{ handled: refused, want: { problem: 'REQUEST_INVALID', detail: expect.stringContaining('for good') } },
		{ handled: unreadable, want: { problem: 'REQUEST_INVALID', detail: 'no name' } },
		{ handled: later, want: { problem: 'SIGNALS_DEFERRED', retryAfterMs: 1500 } },
		{ handled: outOfTime, want: { problem: 'DEADLINE_EXCEEDED', retryAfterMs: 1000 } },
	])('$handled.result.status is $want', ({ handled, want }) => {
		expect(answerOne(handled)).toMatchObject(want);
	});
});
