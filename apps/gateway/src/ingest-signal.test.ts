import { BACKOFF_PRESETS, type Backoff, type Clock, createBackoff } from '@kubernaut/backoff';
import { describe, expect, it } from 'vitest';
import { ModelKube } from '../test/simulation/model-kube.ts';
import { finishedChain, isActive, linkOf, type StoredLink } from '../test/simulation/store-model.ts';
import { type Held, LockClosedError, type LockResult } from './distributed-lock.ts';
import { createSignalIngest, type IngestParts } from './ingest-signal.ts';
import { knownRequests } from './known-requests.ts';
import { KubeError } from './kube.ts';
import { LockLostError } from './lease-renewal.ts';
import { LockFault } from './lock-ports.ts';
import { OccurrenceCommitter } from './occurrence-commit.ts';
import { RequestCache } from './request-cache.ts';
import { linkName } from './request-link.ts';
import { createRequestStore } from './request-store.ts';
import type { IngestResult, Signal } from './signal.ts';

const FINGERPRINT = 'c0ffee'.padEnd(64, '0');
const FIRST = linkName(FINGERPRINT, undefined);
const SIGNAL = {
	fingerprint: FINGERPRINT,
	target: { kind: 'Pod', name: 'p' },
	labels: {},
	annotations: {},
} as unknown as Signal;

/** Nobody waits to hear of a version by the watch: it is asked for. */
const AT_ONCE: Clock = {
	setTimer(onElapsed) {
		queueMicrotask(onElapsed);
		return () => {};
	},
};

/** Free, unless told otherwise. */
class StubLock implements Pick<IngestParts['lock'], 'withLock' | 'waitForRelease' | 'leaseName'> {
	attempts = 0;
	readonly waits: number[] = [];
	contendedFor = 0;
	/** Instead of an attempt. */
	fault: Error | undefined;
	assertHeld = () => {};
	leaseName = (key: string) => `gw-lock-${key.slice(0, 8)}`;
	onWait: (signal: AbortSignal | undefined) => Promise<void> | void = () => {};

	async withLock<T>(key: string, run: (held: Held) => Promise<T>, options: { signal?: AbortSignal } = {}) {
		this.attempts++;
		if (this.fault !== undefined) throw this.fault;
		if (this.attempts <= this.contendedFor)
			return { outcome: 'contended', holder: 'other', retryAfterMs: 1 } satisfies LockResult<T>;
		const { signal = new AbortController().signal } = options;
		const held = { key, holder: 'us', fencingToken: 7n, signal, assertHeld: () => this.assertHeld() };
		return { outcome: 'ran' as const, value: await run(held) };
	}

	async waitForRelease(_key: string, atMostMs: number, signal?: AbortSignal): Promise<void> {
		this.waits.push(atMostMs);
		await this.onWait(signal);
	}
}

class Room {
	readonly kube = new ModelKube(FINGERPRINT);
	readonly lock = new StubLock();
	readonly cache = new RequestCache();
	readonly retries: string[] = [];
	readonly requests = createRequestStore(this.kube, 'ns');
	listed = true;
	readonly #ingest = createSignalIngest({
		lock: this.lock,
		store: this.requests,
		cache: this.cache,
		committer: new OccurrenceCommitter('pod', {
			store: this.requests,
			known: knownRequests(this.cache, AT_ONCE),
			now: () => new Date(0),
			gather: async () => {},
		}),
		isListed: () => this.listed,
		backoff: createBackoff(BACKOFF_PRESETS.standard, { random: () => 0.5 }) satisfies Backoff,
		namespace: 'ns',
		now: () => new Date(0),
		observer: {
			retrying: ({ attempt }) => void this.retries.push(`retrying after ${attempt}`),
			retrySucceeded: () => void this.retries.push('succeeded'),
			retryTimedOut: () => void this.retries.push('timed out'),
		},
	});

	ingest(signal = new AbortController().signal): Promise<IngestResult> {
		return this.#ingest.ingest(SIGNAL, { signal });
	}

	resolve(signal = new AbortController().signal) {
		return this.#ingest.resolve(SIGNAL, { signal });
	}

	/** The watch catches up. */
	async sync(): Promise<void> {
		for (const link of await this.requests.list(FINGERPRINT)) this.cache.changed(link);
		this.kube.requests.length = 0;
	}

	end(name = FIRST): void {
		this.kube.serve({ verb: 'patch', name, status: { terminal: true } });
	}

	createdByOther(name = FIRST, chain = 0): void {
		this.kube.serve({ verb: 'create', name, chain, token: 'other' });
	}

	get active(): StoredLink[] {
		return this.kube.store.links.filter(isActive);
	}
}

const created = { outcome: 'created', request: { name: FIRST, namespace: 'ns' }, occurrenceCount: 1 };
const duplicate = (occurrenceCount: number, name = FIRST) => ({
	outcome: 'duplicate',
	request: { name, namespace: 'ns' },
	occurrenceCount,
});

describe('before all requests are known', () => {
	it('nothing is made or marked, and the sender is told to come later', async () => {
		const room = new Room();
		room.listed = false;
		const want = { outcome: 'later', reason: 'starting' };
		await expect(room.ingest()).resolves.toMatchObject(want);
		await expect(room.resolve()).resolves.toMatchObject(want);
		expect(room.kube.verbs).toEqual([]);
		expect(room.lock.attempts).toBe(0);
	});
});

describe('the fast way', () => {
	it('a request that the cache knows as active is counted on, without the lock', async () => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		await expect(room.ingest()).resolves.toEqual(duplicate(2));
		expect(room.kube.verbs).toEqual(['patch']);
		expect(room.lock.attempts).toBe(0);
	});

	it('was the cache old, and the request has ended: the next one is made', async () => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		room.end();
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'created', occurrenceCount: 1 });
		expect(room.active).toMatchObject([{ chain: 1, count: 1 }]);
		expect(linkOf(room.kube.store, FIRST)?.count).toBe(1);
	});

	it.each([
		{ name: 'gone', foreground: false, wantChain: 0 },
		{ name: 'being deleted', foreground: true, wantChain: 1 },
	])('was the cache old, and the request is $name: another is made', async ({ foreground, wantChain }) => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		room.kube.serve({ verb: 'delete', name: FIRST, foreground });
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'created' });
		expect(room.active).toMatchObject([{ chain: wantChain, count: 1 }]);
	});
});

describe('the slow way', () => {
	it('of equal signals one makes the request, and the others are counted on it together', async () => {
		const room = new Room();
		const results = await Promise.all(Array.from({ length: 5 }, () => room.ingest()));
		expect(results).toEqual([created, duplicate(2), duplicate(3), duplicate(4), duplicate(5)]);
		expect(room.kube.verbs).toEqual(['create', 'patch']);
		expect(room.lock.attempts).toBe(1);
	});

	it('another replica was quicker: all are counted, also the one that led', async () => {
		const room = new Room();
		room.createdByOther();
		const results = await Promise.all([room.ingest(), room.ingest()]);
		expect(results).toEqual([duplicate(2), duplicate(3)]);
	});

	it('starts from a finished request that the cache knows', async () => {
		const room = new Room();
		room.kube.store = finishedChain(2, (uid) => linkName(FINGERPRINT, uid));
		await room.sync();
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'created' });
		expect(room.active).toMatchObject([{ chain: 2, token: '7' }]);
		expect(room.kube.verbs).toEqual(['patch', 'create']);
	});

	it('the cache knows at once what was made: the next signal goes the fast way', async () => {
		const room = new Room();
		await room.ingest();
		room.kube.requests.length = 0;
		await expect(room.ingest()).resolves.toEqual(duplicate(2));
		expect(room.kube.verbs).toEqual(['patch']);
	});

	it('the request ends between the create and the count of those that shared it: they go on to the next', async () => {
		const room = new Room();
		let ended = false;
		room.kube.beforeEach = ({ verb }) => {
			if (verb === 'patch' && !ended) {
				ended = true;
				room.end();
			}
			return 'answered';
		};
		const results = await Promise.all([room.ingest(), room.ingest(), room.ingest()]);
		expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'duplicate']);
		expect(room.kube.store.links.map(({ count }) => count)).toEqual([1, 2]);
	});

	it('every request ends under our hands: the sender is told to come later', async () => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		room.kube.beforeEach = (request) => {
			if (request.verb === 'patch' && request.status.count !== undefined) room.end(request.name);
			if (request.verb === 'create') room.createdByOther(request.name, request.chain);
			return 'answered';
		};
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'later', reason: 'contention' });
	});
});

describe('a lock that another replica holds', () => {
	it('is tried ten times, with nine waits of 6.5 s in all; then the sender is told to come later', async () => {
		const room = new Room();
		room.lock.contendedFor = Number.POSITIVE_INFINITY;
		await expect(room.ingest()).resolves.toMatchObject({
			outcome: 'later',
			reason: 'lock-timeout',
			retryAfterMs: 1000,
		});
		expect(room.lock.attempts).toBe(10);
		expect(room.lock.waits).toEqual([100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000]);
		expect(room.retries.filter((word) => word.startsWith('retrying'))).toHaveLength(9);
		expect(room.retries.at(-1)).toBe('timed out');
		expect(room.kube.requests).toEqual([]);
	});

	it('comes free: the request is made', async () => {
		const room = new Room();
		room.lock.contendedFor = 2;
		await expect(room.ingest()).resolves.toEqual(created);
		expect(room.retries).toEqual(['retrying after 1', 'retrying after 2', 'succeeded']);
	});

	it('shows its request while we wait: the wait ends, and it is counted on without the lock', async () => {
		const room = new Room();
		room.lock.contendedFor = Number.POSITIVE_INFINITY;
		room.lock.onWait = async (signal) => {
			const woken = new Promise((resolve) => signal?.addEventListener('abort', resolve));
			room.createdByOther();
			await room.sync();
			await woken;
		};
		await expect(room.ingest()).resolves.toEqual(duplicate(2));
		expect(room.lock.attempts).toBe(1);
		expect(room.retries.at(-1)).toBe('succeeded');
	});
});

describe('faults become an answer', () => {
	it.each<{ name: string; fault: Error; want: object }>([
		{ name: 'shutting down', fault: new LockClosedError(), want: { outcome: 'later', reason: 'shutting-down' } },
		{
			name: 'no right to the lock',
			fault: new LockFault('forbidden', 'no'),
			want: { outcome: 'later', reason: 'api-forbidden' },
		},
		{
			name: 'no answer about the lock',
			fault: new LockFault('unavailable', 'no'),
			want: { outcome: 'later', reason: 'api-unavailable' },
		},
	])('of the lock: $name', async ({ fault, want }) => {
		const room = new Room();
		room.lock.fault = fault;
		await expect(room.ingest()).resolves.toMatchObject(want);
	});

	it('the lock is lost before the write: nothing is written', async () => {
		const room = new Room();
		room.lock.assertHeld = () => {
			throw new LockLostError(FINGERPRINT, 'released');
		};
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'later', reason: 'lock-timeout' });
		expect(room.kube.requests).toEqual([]);
	});

	it.each<{ name: string; fault: KubeError; want: object }>([
		{
			name: 'forbidden',
			fault: new KubeError('KUBE_FORBIDDEN', 'no'),
			want: { outcome: 'later', reason: 'api-forbidden' },
		},
		{
			name: 'unauthorized',
			fault: new KubeError('KUBE_UNAUTHORIZED', 'no'),
			want: { outcome: 'later', reason: 'api-forbidden' },
		},
		{ name: 'invalid', fault: new KubeError('KUBE_INVALID', 'bad'), want: { outcome: 'refused', message: 'bad' } },
		{
			name: 'throttled',
			fault: new KubeError('KUBE_THROTTLED', 'slow down', { retryAfterMs: 3000 }),
			want: { outcome: 'later', reason: 'api-unavailable', retryAfterMs: 3000 },
		},
	])('of the API server: $name', async ({ fault, want }) => {
		const room = new Room();
		room.kube.beforeEach = () => {
			throw fault;
		};
		await expect(room.ingest()).resolves.toMatchObject(want);
	});

	it('a create whose answer was lost is found by its token, and is no duplicate', async () => {
		const room = new Room();
		room.kube.beforeEach = ({ verb }) => (verb === 'create' ? 'answer lost' : 'answered');
		await expect(room.ingest()).resolves.toEqual(created);
		expect(room.kube.verbs).toEqual(['create', 'get']);
	});

	it('a create that never arrived is for the sender to repeat', async () => {
		const room = new Room();
		room.kube.beforeEach = ({ verb }) => (verb === 'create' ? 'lost' : 'answered');
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'later', reason: 'api-unavailable' });
	});

	it('a bug stays a bug', async () => {
		const room = new Room();
		room.kube.beforeEach = () => {
			throw new TypeError('a bug');
		};
		await expect(room.ingest()).rejects.toThrow('a bug');
	});
});

describe('a caller that leaves', () => {
	it.each(['create', 'patch'] as const)('during a %s is let go at once; the others are answered', async (verb) => {
		const room = new Room();
		if (verb === 'patch') room.createdByOther();
		await room.sync();
		const gate = Promise.withResolvers<'answered'>();
		room.kube.beforeEach = () => gate.promise;
		const controller = new AbortController();
		const leaving = room.ingest(controller.signal);
		const staying = room.ingest();
		while (room.kube.requests.length === 0) await Promise.resolve();
		controller.abort(new Error('gone'));
		await expect(leaving).rejects.toThrow('gone');
		gate.resolve('answered');
		await expect(staying).resolves.toMatchObject({ outcome: 'duplicate' });
	});

	it('while the lock is held elsewhere ends the attempts, which is no timeout; who comes then begins anew', async () => {
		const room = new Room();
		room.lock.contendedFor = 1;
		const controller = new AbortController();
		room.lock.onWait = (signal) =>
			new Promise((resolve) => {
				signal?.addEventListener('abort', () => resolve());
				controller.abort(new Error('gone'));
			});
		await expect(room.ingest(controller.signal)).rejects.toThrow('gone');
		await expect(room.ingest()).resolves.toEqual(created);
		expect(room.lock.attempts).toBe(2);
		expect(room.retries).toEqual(['retrying after 1']);
	});

	it('before it came is not served', async () => {
		const room = new Room();
		await expect(room.ingest(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
		expect(room.kube.requests).toEqual([]);
	});
});

describe('resolve', () => {
	it('marks the active request, once', async () => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		const want = { outcome: 'resolved', request: { name: FIRST, namespace: 'ns' } };
		await expect(room.resolve()).resolves.toEqual(want);
		await expect(room.resolve()).resolves.toEqual(want);
		expect(room.kube.verbs).toEqual(['patch']);
		expect(room.active).toMatchObject([{ resolved: true }]);
	});

	it('finds the request of another replica that the cache has not seen yet', async () => {
		const room = new Room();
		room.kube.store = finishedChain(1, (uid) => linkName(FINGERPRINT, uid));
		await room.sync();
		const [known] = room.kube.store.links;
		const next = linkName(FINGERPRINT, known?.uid);
		room.createdByOther(next, 1);
		await expect(room.resolve()).resolves.toMatchObject({ request: { name: next } });
	});

	it('finds it also under a name that was announced by somebody else', async () => {
		const room = new Room();
		room.kube.store = finishedChain(1, (uid) => linkName(FINGERPRINT, uid));
		const announced = 'rr-c0ffee000000-ffffffffffffffff';
		room.kube.serve({ verb: 'patch', name: FIRST, status: { successor: announced } });
		await room.sync();
		room.createdByOther(announced, 1);
		await expect(room.resolve()).resolves.toMatchObject({ request: { name: announced } });
	});

	it('has nothing to mark when the request has ended', async () => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		room.end();
		await expect(room.resolve()).resolves.toEqual({ outcome: 'resolved' });
		expect(linkOf(room.kube.store, FIRST)?.resolved).toBeUndefined();
	});

	it('and a count at once: neither gets lost on the other', async () => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		const [counted, resolved] = await Promise.all([room.ingest(), room.resolve()]);
		expect([counted.outcome, resolved.outcome]).toEqual(['duplicate', 'resolved']);
		expect(room.active).toMatchObject([{ count: 2 }]);
	});

	it('lets a caller that leaves go at once', async () => {
		const room = new Room();
		room.createdByOther();
		await room.sync();
		room.kube.beforeEach = () => new Promise(() => {});
		const controller = new AbortController();
		const leaving = room.resolve(controller.signal);
		controller.abort(new Error('gone'));
		await expect(leaving).rejects.toThrow('gone');
	});
});
