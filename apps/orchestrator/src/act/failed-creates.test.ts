import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { aRequest } from '../../test/harness/made-up.ts';
import { KubeError } from '../kube/kube.ts';
import type { Block, Remediation } from '../objects/remediation.ts';
import { FailedCreates, PauseUnreadableError } from './failed-creates.ts';

const REJECTED = new KubeError('KUBE_FORBIDDEN', 'frozen');
const FAULT = new KubeError('KUBE_UNAVAILABLE', 'failed calling webhook', { status: 500 });
const UNREADABLE = new PauseUnreadableError('the pause switch cannot be read');

/** One replica; the block of each request is where all replicas see it. `find`: the requests as it knows them. */
function aReplica(
	clock = new ManualClock(),
	find: (uid: string) => Remediation | undefined = (uid) => aRequest({ uid }),
) {
	const counted: string[] = [];
	const creates = new FailedCreates(clock, find, (reason) => counted.push(reason));
	const waitOf = (block: Block | undefined) =>
		block?.until === undefined ? undefined : Date.parse(block.until) - clock.wallTime().getTime();
	return { clock, creates, counted, waitOf };
}

/** Tries as often as it may for so long; replicas take turns by chance. */
function triesOf(replicas: number, error: Error, forMs: number): number[] {
	const clock = new ManualClock();
	const all = Array.from({ length: replicas }, () => aReplica(clock).creates);
	const startedAt = clock.now();
	const tries: number[] = [];
	let block: Block | undefined;
	for (let turn = 0; clock.now() - startedAt < forMs; turn++) {
		tries.push(clock.now() - startedAt);
		block = all[turn % replicas]?.failed({ uid: 'uid', block }, error) ?? block;
		const untilMs = block?.until === undefined ? 0 : Date.parse(block.until) - clock.wallTime().getTime();
		clock.advance(Math.max(untilMs, 200)); // without a block the queue tries again soon
	}
	return tries;
}

describe('a rejected create', () => {
	it('is written into its request at once, with the words of the API server and a wait that grows', () => {
		const { creates, clock, waitOf, counted } = aReplica();
		const request = { uid: 'uid', block: undefined };
		const first = creates.failed(request, REJECTED);
		expect(first).toMatchObject({
			reason: 'ConfigurationError',
			message: 'the API server rejected the WorkflowExecution: frozen',
		});
		const waits = [first, ...Array.from({ length: 6 }, () => creates.failed(request, REJECTED))].map(waitOf);
		for (const [i, about] of [2, 4, 8, 16, 30, 30, 30].entries()) {
			expect(waits[i]).toBeGreaterThanOrEqual(about * 900);
			expect(waits[i]).toBeLessThanOrEqual(about * 1100 + 1000);
		}
		expect(counted).toHaveLength(7);
		expect(creates.check().ok).toBe(true); // one request's own affair
		clock.advance(400_000);
		expect(waitOf(creates.failed(request, REJECTED))).toBeLessThan(4000);
	});

	it('has the longest wait when another replica has tried before', () => {
		const { creates, waitOf } = aReplica();
		const block: Block = { reason: 'ConfigurationError', message: 'frozen', until: '2020-01-01T00:00:00Z' };
		expect(waitOf(creates.failed({ uid: 'uid', block }, REJECTED))).toBeGreaterThanOrEqual(30_000);
	});
});

describe('a create that fails', () => {
	it('is tried three times before its request says so', () => {
		const { creates } = aReplica();
		const request = { uid: 'uid', block: undefined };
		expect(creates.failed(request, FAULT)).toBeUndefined();
		expect(creates.failed(request, FAULT)).toBeUndefined();
		expect(creates.failed(request, FAULT)).toMatchObject({
			reason: 'ConfigurationError',
			message: 'the API server fails to store the WorkflowExecution: failed calling webhook',
			until: expect.any(String),
		});
	});

	it('because the pause switch cannot be read pauses its request', () => {
		const { creates } = aReplica();
		const request = { uid: 'uid', block: undefined };
		creates.failed(request, UNREADABLE);
		creates.failed(request, UNREADABLE);
		expect(creates.failed(request, UNREADABLE)).toMatchObject({ reason: 'Paused', message: UNREADABLE.message });
	});

	it('makes the replica not ready with its words, until one succeeds or none is tried any more', () => {
		const { creates, clock } = aReplica();
		for (const uid of ['a', 'b', 'c']) creates.failed({ uid, block: undefined }, FAULT);
		expect(creates.check()).toEqual({
			name: 'executions',
			ok: false,
			message: '3 creates failed in a row: failed calling webhook',
		});
		clock.advance(400_000);
		expect(creates.check().ok).toBe(true);
		creates.failed({ uid: 'd', block: undefined }, FAULT);
		expect(creates.check().ok).toBe(false);
		creates.succeeded({ uid: 'd' });
		expect(creates.check().ok).toBe(true);
	});

	const BLOCK = { message: '', until: '2030-01-01T00:00:00Z' } as const;

	it.each<{ what: string; request: Partial<Remediation> }>([
		{ what: 'is new', request: { phase: undefined } },
		{ what: 'is Pending', request: { phase: 'Pending' } },
		{
			what: 'waits for its next try',
			request: { phase: 'Blocked', block: { ...BLOCK, reason: 'ConfigurationError' } },
		},
		{ what: 'waits for the pause switch', request: { phase: 'Blocked', block: { ...BLOCK, reason: 'Paused' } } },
	])('keeps the replica not ready while its request $what', ({ request }) => {
		const { creates } = aReplica(undefined, (uid) => aRequest({ uid, ...request }));
		for (let i = 0; i < 3; i++) creates.failed({ uid: 'a', block: undefined }, FAULT);
		expect(creates.check().ok).toBe(false);
	});

	it.each<{ what: string; request: Partial<Remediation> | undefined }>([
		{ what: 'was executed by another replica', request: { phase: 'Executing' } },
		{ what: 'is over', request: { phase: 'Completed' } },
		{ what: 'waits for another request', request: { phase: 'Blocked', block: { ...BLOCK, reason: 'ResourceBusy' } } },
		{ what: 'is being deleted', request: { deleting: true } },
		{ what: 'is gone', request: undefined },
	])('leaves the replica ready again when the last request that failed here $what', ({ request }) => {
		const known = new Map<string, Remediation>(['a', 'b'].map((uid) => [uid, aRequest({ uid })]));
		const goesOn = (uid: string) => {
			if (request === undefined) known.delete(uid);
			else known.set(uid, aRequest({ uid, ...request }));
		};
		const { creates } = aReplica(undefined, (uid) => known.get(uid));
		for (const uid of ['a', 'b', 'a']) creates.failed({ uid, block: undefined }, FAULT);
		goesOn('a');
		expect(creates.check().ok).toBe(false);
		goesOn('b');
		expect(creates.check().ok).toBe(true);
		known.set('c', aRequest({ uid: 'c' }));
		creates.failed({ uid: 'c', block: undefined }, FAULT);
		expect(creates.check().ok).toBe(true); // the first of a new row
	});

	it('by a lost lock is nothing of this', () => {
		const { creates, counted } = aReplica();
		for (let i = 0; i < 5; i++)
			expect(creates.failed({ uid: 'uid', block: undefined }, new Error('lost'))).toBeUndefined();
		expect(counted).toEqual([]);
	});
});

describe('the number of tries', () => {
	it.each([
		{ what: 'rejected', error: REJECTED },
		{ what: 'failing', error: FAULT },
		{ what: 'unreadable', error: UNREADABLE },
	])('of a $what create is at most 3 a minute after the first, with 1, 3 and 10 replicas', ({ error }) => {
		for (const replicas of [1, 3, 10]) {
			const tries = triesOf(replicas, error, 600_000);
			const first = tries.filter((at) => at < 60_000).length;
			expect(first).toBeLessThanOrEqual(8 + 2 * replicas);
			for (let minute = 1; minute < 10; minute++)
				expect(tries.filter((at) => Math.floor(at / 60_000) === minute).length).toBeLessThanOrEqual(3);
		}
	});
});
