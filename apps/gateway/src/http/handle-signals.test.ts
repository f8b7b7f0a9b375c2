import { describe, expect, it } from 'vitest';
import type { ParsedSignal } from '../signal/parsed-signal.ts';
import type { IngestResult, Signal } from '../signal/signal.ts';
import { BatchRecord } from './body/unacknowledged-batches.ts';
import { DeadlinePassed } from './exchange.ts';
import { type HandlingOptions, handleSignals } from './handle-signals.ts';

const created: IngestResult = { outcome: 'created', request: { name: 'rr', namespace: 'ns' }, occurrenceCount: 1 };
const never = new AbortController().signal;

function parsed(name: string, action: 'ingest' | 'resolve' = 'ingest'): ParsedSignal {
	return { action, signal: { name, fingerprint: name.padEnd(64, '0') } as Signal };
}
function handle(signals: ParsedSignal[], options: Partial<HandlingOptions> & Pick<HandlingOptions, 'ingest'>) {
	const source = { count: signals.length, read: (index: number) => signals[index]! };
	return handleSignals(source, {
		parallel: 4,
		abort: never,
		deadlineAt: Number.POSITIVE_INFINITY,
		onFault: () => undefined,
		onDeferred: () => undefined,
		onRejected: () => undefined,
		random: () => 0,
		...options,
	});
}
/** Ends only when it is aborted, as the use cases promise. */
function waits(abort: AbortSignal): Promise<never> {
	return new Promise((_, reject) => abort.addEventListener('abort', () => reject(abort.reason as Error)));
}

describe('handleSignals', () => {
	it('results have the order of the signals, whichever ends first', async () => {
		const release: (() => void)[] = [];
		const ingest = (signal: Signal) =>
			new Promise<IngestResult>((resolve) => {
				release.push(() => resolve({ ...created, request: { name: signal.name, namespace: 'ns' } }));
				if (release.length === 3) for (const end of release.toReversed()) end();
			});
		const handled = await handle([parsed('a'), parsed('b'), parsed('c')], {
			ingest: { ingest, resolve: () => Promise.reject(new Error('not asked for')) },
		});
		expect(handled.map(({ result }) => result.remediationRequestName)).toEqual(['a', 'b', 'c']);
	});

	it('at most `parallel` signals are handled at a time', async () => {
		let running = 0;
		let most = 0;
		const ingest = async () => {
			most = Math.max(most, ++running);
			await Promise.resolve();
			running--;
			return created;
		};
		const signals = Array.from({ length: 20 }, (_, index) => parsed(String(index)));
		expect(await handle(signals, { parallel: 3, ingest: { ingest, resolve: waits as never } })).toHaveLength(20);
		expect(most).toBe(3);
	});

	it('ignored and rejected signals reach no use case, and resolved ones are resolved', async () => {
		const asked: string[] = [];
		const handled = await handle(
			[{ action: 'ignore', message: 'i' }, { action: 'reject', message: 'r' }, parsed('over', 'resolve')],
			{
				ingest: {
					ingest: async () => {
						asked.push('ingest');
						return created;
					},
					resolve: async ({ name }) => {
						asked.push(`resolve ${name}`);
						return { outcome: 'resolved' };
					},
				},
			},
		);
		expect(asked).toEqual(['resolve over']);
		expect(handled.map(({ result }) => result.status)).toEqual(['ignored', 'rejected', 'ignored']);
	});

	it('a signal whose use case throws is deferred, and the others are handled', async () => {
		const faults: unknown[] = [];
		const ingest = async ({ name }: Signal) => {
			if (name === 'bad') throw new Error('a bug');
			return created;
		};
		const handled = await handle([parsed('bad'), parsed('good')], {
			ingest: { ingest, resolve: waits as never },
			onFault: (error) => faults.push(error),
		});
		expect(handled.map(({ result }) => result.status)).toEqual(['deferred', 'created']);
		expect(JSON.stringify(handled)).not.toContain('a bug');
		expect(faults).toEqual([new Error('a bug')]);
	});

	it('signals that are not handled at the deadline are deferred', async () => {
		const deadline = new AbortController();
		const ingest = async ({ name }: Signal, { abort }: { abort: AbortSignal }) => {
			if (name === 'quick') return created;
			queueMicrotask(() => deadline.abort(new DeadlinePassed()));
			return waits(abort);
		};
		const handled = await handle([parsed('quick'), parsed('slow'), parsed('not begun')], {
			parallel: 1,
			abort: deadline.signal,
			ingest: { ingest, resolve: waits as never },
		});
		expect(handled.map(({ result, deferral }) => [result.status, deferral?.because])).toEqual([
			['created', undefined],
			['deferred', 'deadline'],
			['deferred', 'deadline'],
		]);
	});

	it('when the client is gone, handling ends at once and no other signal begins', async () => {
		const client = new AbortController();
		const begun: string[] = [];
		const ingest = ({ name }: Signal, { abort }: { abort: AbortSignal }) => {
			begun.push(name);
			queueMicrotask(() => client.abort(new Error('gone')));
			return waits(abort);
		};
		const handling = handle([parsed('a'), parsed('b')], {
			parallel: 1,
			abort: client.signal,
			ingest: { ingest, resolve: waits as never },
		});
		await expect(handling).rejects.toThrow('gone');
		expect(begun).toEqual(['a']);
	});

	it('a use case that ignores the deadline is deferred in time', async () => {
		const deadline = new AbortController();
		const ingest = () => {
			queueMicrotask(() => deadline.abort(new DeadlinePassed()));
			return new Promise<never>(() => undefined);
		};
		const handled = await handle([parsed('deaf')], {
			abort: deadline.signal,
			ingest: { ingest, resolve: ingest },
		});
		expect(handled).toMatchObject([{ result: { status: 'deferred' }, deferral: { because: 'deadline' } }]);
	});

	it('the reason of a deferred or rejected signal is reported', async () => {
		const reported: string[] = [];
		await handle([parsed('busy'), parsed('bad'), parsed('good')], {
			ingest: {
				async ingest({ name }) {
					if (name === 'busy')
						return { outcome: 'deferred', reason: 'lock-timeout', retryAfterMs: 1, message: 'held by another' };
					return name === 'bad' ? { outcome: 'rejected', message: 'spec.x' } : created;
				},
				resolve: waits as never,
			},
			onDeferred: (reason, detail) => void reported.push(`${reason}: ${detail}`),
			onRejected: (detail) => void reported.push(`rejected: ${detail}`),
		});
		expect(reported).toEqual(['lock-timeout: held by another', 'rejected: spec.x']);
	});

	it('a signal that was stored in an earlier sending of its batch needs no call', async () => {
		const record = new BatchRecord();
		let calls = 0;
		const ingest = async ({ name }: Signal): Promise<IngestResult> => {
			calls++;
			if (name === 'busy' && calls < 3)
				return { outcome: 'deferred', reason: 'lock-timeout', retryAfterMs: 1, message: '' };
			return created;
		};
		const signals = ['good', 'busy'].map((name) => ({ ...parsed(name), identity: name }) as ParsedSignal);
		const statuses = async () =>
			(await handle(signals, { record: record.rewind(), ingest: { ingest, resolve: waits as never } })).map(
				({ result }) => result.status,
			);
		expect(await statuses()).toEqual(['created', 'deferred']);
		expect(await statuses()).toEqual(['created', 'created']);
		expect(calls).toBe(3);
	});

	it('the work of a batch that has begun at the deadline goes on, and its repetition gets the outcome', async () => {
		const record = new BatchRecord();
		const deadline = new AbortController();
		const ending = Promise.withResolvers<IngestResult>();
		let calls = 0;
		const ingest = (_signal: Signal, { abort }: { abort: AbortSignal }) => {
			calls++;
			queueMicrotask(() => deadline.abort(new DeadlinePassed()));
			abort.addEventListener('abort', () => ending.reject(abort.reason as Error));
			return ending.promise;
		};
		const signals = [{ ...parsed('slow'), identity: 'slow' } as ParsedSignal];
		const options = { record, ingest: { ingest, resolve: waits as never } };
		expect(await handle(signals, { ...options, abort: deadline.signal })).toMatchObject([
			{ deferral: { because: 'deadline' } },
		]);
		record.rewind();
		const repeated = handle(signals, options);
		ending.resolve(created);
		expect(await repeated).toMatchObject([{ result: { status: 'created' } }]);
		expect(calls).toBe(1);
	});

	it('what is known of a batch comes first, so that its results are there when time is up', async () => {
		const record = new BatchRecord();
		record.add('known', Promise.resolve(created));
		await Promise.resolve();
		const deadline = new AbortController();
		const ingest = (_signal: Signal, { abort }: { abort: AbortSignal }) => {
			queueMicrotask(() => deadline.abort(new DeadlinePassed()));
			return waits(abort);
		};
		const signals = ['new', 'known'].map((name) => ({ ...parsed(name), identity: name }) as ParsedSignal);
		const handled = await handle(signals, {
			parallel: 1,
			record: record.rewind(),
			abort: deadline.signal,
			ingest: { ingest, resolve: waits as never },
		});
		expect(handled.map(({ result }) => result.status)).toEqual(['deferred', 'created']);
	});

	it('handling begins at a random signal and goes round, so that a large batch is done in the end', async () => {
		const begun: string[] = [];
		const handled = await handle([parsed('a'), parsed('b'), parsed('c'), parsed('d')], {
			parallel: 1,
			random: () => 0.5,
			ingest: {
				async ingest({ name }) {
					begun.push(name);
					return { ...created, request: { name, namespace: 'ns' } };
				},
				resolve: waits as never,
			},
		});
		expect(begun).toEqual(['c', 'd', 'a', 'b']);
		expect(handled.map(({ result }) => result.remediationRequestName)).toEqual(['a', 'b', 'c', 'd']);
	});
});
