import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import {
	DEFERRAL_REASONS,
	type DeferralReason,
	type IngestResult,
	type ResolveResult,
	type Signal,
} from '../signal/signal.ts';
import { createBreaker } from './breaker.ts';
import { guardIngest } from './guarded-ingest.ts';

const signal = { fingerprint: 'f' } as Signal;
const options = { abort: new AbortController().signal };
const request = { name: 'rr', namespace: 'ns' };
const deferred = (reason: DeferralReason): IngestResult => ({
	outcome: 'deferred',
	reason,
	retryAfterMs: 1,
	message: 'm',
});

function setUp() {
	const clock = new ManualClock();
	const observer = { breakerChanged: () => undefined };
	const breaker = createBreaker({ calculate: () => 1000 }, clock, observer, { failuresToOpen: 2 });
	const next: {
		ingest: (options: { abort: AbortSignal }) => Promise<IngestResult>;
		resolve: () => Promise<ResolveResult>;
	} = {
		ingest: async () => deferred('api-unavailable'),
		resolve: async () => ({ outcome: 'resolved' }),
	};
	const guarded = guardIngest({ ingest: (_, within) => next.ingest(within), resolve: () => next.resolve() }, breaker);
	return {
		clock,
		breaker,
		next,
		ingest: (abort = options.abort) => guarded.ingest(signal, { abort }),
		resolve: () => guarded.resolve(signal, options),
	};
}

describe('the use cases behind the breaker', () => {
	it('signals deferred as `api-unavailable` open the breaker; then use cases are not called any more', async () => {
		const { breaker, next, ingest, resolve } = setUp();
		await ingest();
		await ingest();
		expect(breaker.state()).toBe('open');
		next.ingest = () => Promise.reject(new Error('asked'));
		next.resolve = () => Promise.reject(new Error('asked'));
		const want = { outcome: 'deferred', reason: 'api-unavailable', retryAfterMs: 1000 };
		expect(await ingest()).toMatchObject(want);
		expect(await resolve()).toMatchObject(want);
	});

	it.each(DEFERRAL_REASONS.filter((reason) => reason !== 'api-unavailable'))(
		'a signal deferred as `%s` neither opens nor closes the breaker',
		async (reason) => {
			const { breaker, next, ingest } = setUp();
			await ingest();
			next.ingest = async () => deferred(reason);
			await ingest();
			next.ingest = async () => deferred('api-unavailable');
			expect(breaker.state()).toBe('closed');
			await ingest();
			expect(breaker.state()).toBe('open');
		},
	);

	it.each<IngestResult>([
		{ outcome: 'created', request, occurrenceCount: 1 },
		{ outcome: 'duplicate', request, occurrenceCount: 2 },
	])('a signal that is $outcome closes the breaker: the API server has answered', async (result) => {
		const { breaker, clock, next, ingest } = setUp();
		await ingest();
		await ingest();
		clock.advance(1000);
		next.ingest = async () => result;
		expect(await ingest()).toBe(result);
		expect(breaker.state()).toBe('closed');
	});

	it('a rejected signal neither closes nor opens the breaker: it shows nothing of the storage', async () => {
		const { breaker, clock, next, ingest } = setUp();
		await ingest();
		await ingest();
		clock.advance(1000);
		next.ingest = async () => ({ outcome: 'rejected', message: 'too large' });
		for (let time = 0; time < 5; time++) expect(await ingest()).toMatchObject({ outcome: 'rejected' });
		expect(breaker.state()).toBe('half-open');
	});

	it('signals that wait when the breaker opens are deferred at once, and their work is aborted', async () => {
		const { breaker, next, ingest } = setUp();
		const aborted: unknown[] = [];
		next.ingest = ({ abort }) =>
			new Promise((_, reject) =>
				abort.addEventListener('abort', () => {
					aborted.push(abort.reason);
					reject(abort.reason as Error);
				}),
			);
		const waiting = [ingest(), ingest(), ingest()];
		breaker.silent();
		const want = { outcome: 'deferred', reason: 'api-unavailable', retryAfterMs: 1000 };
		expect(await Promise.all(waiting)).toMatchObject([want, want, want]);
		expect(aborted).toHaveLength(3);
	});

	it("the caller's own abort reaches the use case with its reason", async () => {
		const { next, ingest } = setUp();
		next.ingest = ({ abort }) =>
			new Promise((_, reject) => abort.addEventListener('abort', () => reject(abort.reason as Error)));
		const caller = new AbortController();
		const waiting = ingest(caller.signal);
		caller.abort(new Error('the client left'));
		await expect(waiting).rejects.toThrow('the client left');
	});

	it.each<ResolveResult>([
		{ outcome: 'resolved', answered: true },
		{ outcome: 'others-fire', request, firing: 1, answered: true },
	])('a resolved signal whose calls the API server answered closes a half-open breaker ($outcome)', async (result) => {
		const { breaker, clock, next, ingest, resolve } = setUp();
		await ingest();
		await ingest();
		clock.advance(1000);
		next.resolve = async () => result;
		expect(await resolve()).toBe(result);
		expect(breaker.state()).toBe('closed');
	});

	it('a resolved signal whose calls were answered is no end of failures in a row: it may have stored nothing', async () => {
		const { breaker, next, ingest, resolve } = setUp();
		next.resolve = async () => ({ outcome: 'resolved', answered: true });
		await ingest();
		await resolve();
		await ingest();
		expect(breaker.state()).toBe('open');
	});

	it('a resolved signal that made no call does not close the breaker', async () => {
		const { breaker, clock, ingest, resolve } = setUp();
		await ingest();
		await resolve();
		await ingest();
		expect(breaker.state()).toBe('open');
		clock.advance(1000);
		expect(await resolve()).toEqual({ outcome: 'resolved' });
		expect(breaker.state()).toBe('half-open');
	});

	it('a resolved signal deferred as `api-unavailable` counts as a failure', async () => {
		const { breaker, next, resolve } = setUp();
		next.resolve = async () => deferred('api-unavailable') as ResolveResult;
		await resolve();
		await resolve();
		expect(breaker.state()).toBe('open');
	});

	it('a use case that throws gives back the one try of a half-open breaker', async () => {
		const { breaker, clock, next, ingest } = setUp();
		await ingest();
		await ingest();
		clock.advance(1000);
		next.ingest = () => Promise.reject(new Error('aborted'));
		await expect(ingest()).rejects.toThrow('aborted');
		expect(breaker.rejection()).toBeUndefined();
	});
});
