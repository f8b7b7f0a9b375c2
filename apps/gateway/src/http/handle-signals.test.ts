import { describe, expect, it } from 'vitest';
import type { SignalReading } from '../signal/parsed-signal.ts';
import type { IngestResult, Signal } from '../signal/signal.ts';
import { type HandlingOptions, handleReadings } from './handle-signals.ts';

const created: IngestResult = { outcome: 'created', request: { name: 'rr', namespace: 'ns' }, occurrenceCount: 1 };
const never = new AbortController().signal;

function reading(name: string, action: 'ingest' | 'resolve' = 'ingest'): SignalReading {
	return { action, signal: { name, fingerprint: name.padEnd(64, '0') } as Signal };
}
function handle(readings: SignalReading[], options: Partial<HandlingOptions> & Pick<HandlingOptions, 'ingest'>) {
	return handleReadings(readings, {
		parallel: 4,
		client: never,
		deadline: never,
		onFault: () => undefined,
		onNotTaken: () => undefined,
		random: () => 0,
		...options,
	});
}
/** Ends only when it is aborted, as the use cases promise. */
function waits(signal: AbortSignal): Promise<never> {
	return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

describe('handling what a body asked for', () => {
	it('keeps the order of the readings, whichever ends first', async () => {
		const release: (() => void)[] = [];
		const ingest = (signal: Signal) =>
			new Promise<IngestResult>((resolve) => {
				release.push(() => resolve({ ...created, request: { name: signal.name, namespace: 'ns' } }));
				if (release.length === 3) for (const end of release.toReversed()) end();
			});
		const handled = await handle([reading('a'), reading('b'), reading('c')], {
			ingest: { ingest, resolve: () => Promise.reject(new Error('not asked for')) },
		});
		expect(handled.map(({ result }) => result.remediationRequestName)).toEqual(['a', 'b', 'c']);
	});

	it('works on so many at a time', async () => {
		let inWork = 0;
		let most = 0;
		const ingest = async () => {
			most = Math.max(most, ++inWork);
			await Promise.resolve();
			inWork--;
			return created;
		};
		const readings = Array.from({ length: 20 }, (_, index) => reading(String(index)));
		expect(await handle(readings, { parallel: 3, ingest: { ingest, resolve: waits as never } })).toHaveLength(20);
		expect(most).toBe(3);
	});

	it('asks the use cases for nothing that is ignored or rejected, and to resolve what is over', async () => {
		const asked: string[] = [];
		const handled = await handle(
			[{ action: 'ignore', message: 'i' }, { action: 'reject', message: 'r' }, reading('over', 'resolve')],
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

	it('goes on with the others when a use case throws, and asks for a retry of that one', async () => {
		const faults: unknown[] = [];
		const ingest = async ({ name }: Signal) => {
			if (name === 'bad') throw new Error('a bug');
			return created;
		};
		const handled = await handle([reading('bad'), reading('good')], {
			ingest: { ingest, resolve: waits as never },
			onFault: (error) => faults.push(error),
		});
		expect(handled.map(({ result }) => result.status)).toEqual(['retry', 'created']);
		expect(JSON.stringify(handled)).not.toContain('a bug');
		expect(faults).toEqual([new Error('a bug')]);
	});

	it('answers what is done when time is up, and asks for a retry of the rest', async () => {
		const deadline = new AbortController();
		const ingest = async ({ name }: Signal, { signal }: { signal: AbortSignal }) => {
			if (name === 'quick') return created;
			queueMicrotask(() => deadline.abort(new Error('time is up')));
			return waits(signal);
		};
		const handled = await handle([reading('quick'), reading('slow'), reading('not begun')], {
			parallel: 1,
			deadline: deadline.signal,
			ingest: { ingest, resolve: waits as never },
		});
		expect(handled.map(({ result, retry }) => [result.status, retry?.because])).toEqual([
			['created', undefined],
			['retry', 'deadline'],
			['retry', 'deadline'],
		]);
	});

	it('ends at once when the client is gone, and begins nothing more', async () => {
		const client = new AbortController();
		const begun: string[] = [];
		const ingest = ({ name }: Signal, { signal }: { signal: AbortSignal }) => {
			begun.push(name);
			queueMicrotask(() => client.abort(new Error('gone')));
			return waits(signal);
		};
		const handling = handle([reading('a'), reading('b')], {
			parallel: 1,
			client: client.signal,
			ingest: { ingest, resolve: waits as never },
		});
		await expect(handling).rejects.toThrow('gone');
		expect(begun).toEqual(['a']);
	});

	it('answers in time although a use case does not listen to the deadline', async () => {
		const deadline = new AbortController();
		const ingest = () => {
			queueMicrotask(() => deadline.abort(new Error('time is up')));
			return new Promise<never>(() => undefined);
		};
		const handled = await handle([reading('deaf')], {
			deadline: deadline.signal,
			ingest: { ingest, resolve: ingest },
		});
		expect(handled).toMatchObject([{ result: { status: 'retry' }, retry: { because: 'deadline' } }]);
	});

	it('tells why a signal was not taken', async () => {
		const told: string[] = [];
		await handle([reading('busy'), reading('bad'), reading('good')], {
			ingest: {
				async ingest({ name }) {
					if (name === 'busy')
						return { outcome: 'later', reason: 'lock-timeout', retryAfterMs: 1, message: 'held by another' };
					return name === 'bad' ? { outcome: 'refused', message: 'spec.x' } : created;
				},
				resolve: waits as never,
			},
			onNotTaken: (reason, detail) => void told.push(`${reason}: ${detail}`),
		});
		expect(told).toEqual(['lock-timeout: held by another', 'refused: spec.x']);
	});

	it('begins somewhere, goes round and answers in order: a batch that never fits in is done in the end', async () => {
		const begun: string[] = [];
		const handled = await handle([reading('a'), reading('b'), reading('c'), reading('d')], {
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
