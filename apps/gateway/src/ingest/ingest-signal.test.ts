import { describe, expect, it } from 'vitest';
import { created, duplicate, FINGERPRINT, FIRST, IngestRoom } from '../../test/harness/ingest-room.ts';
import { finishedChain, linkOf } from '../../test/simulation/store-model.ts';
import { LockClosedError, LockFault, LockLostError } from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import { linkName } from '../objects/request-link.ts';

describe('before all requests are known', () => {
	it('nothing is made or marked, and the sender is told to come later', async () => {
		const room = new IngestRoom();
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
		const room = new IngestRoom();
		room.createdByOther();
		await room.sync();
		await expect(room.ingest()).resolves.toEqual(duplicate(2));
		expect(room.kube.verbs).toEqual(['patch']);
		expect(room.lock.attempts).toBe(0);
	});

	it('was the cache old, and the request has ended: the next one is made', async () => {
		const room = new IngestRoom();
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
		const room = new IngestRoom();
		room.createdByOther();
		await room.sync();
		room.kube.serve({ verb: 'delete', name: FIRST, foreground });
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'created' });
		expect(room.active).toMatchObject([{ chain: wantChain, count: 1 }]);
	});
});

describe('the slow way', () => {
	it('of equal signals one makes the request, and the others are counted on it together', async () => {
		const room = new IngestRoom();
		const results = await Promise.all(Array.from({ length: 5 }, () => room.ingest()));
		expect(results).toEqual([created, duplicate(2), duplicate(3), duplicate(4), duplicate(5)]);
		expect(room.kube.verbs).toEqual(['create', 'patch']);
		expect(room.lock.attempts).toBe(1);
	});

	it('another replica was quicker: all are counted, also the one that led', async () => {
		const room = new IngestRoom();
		room.createdByOther();
		const results = await Promise.all([room.ingest(), room.ingest()]);
		expect(results).toEqual([duplicate(2), duplicate(3)]);
	});

	it('starts from a finished request that the cache knows', async () => {
		const room = new IngestRoom();
		room.kube.store = finishedChain(2, (uid) => linkName(FINGERPRINT, uid));
		await room.sync();
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'created' });
		expect(room.active).toMatchObject([{ chain: 2, token: '7' }]);
		expect(room.kube.verbs).toEqual(['patch', 'create']);
	});

	it('the cache knows at once what was made: the next signal goes the fast way', async () => {
		const room = new IngestRoom();
		await room.ingest();
		room.kube.requests.length = 0;
		await expect(room.ingest()).resolves.toEqual(duplicate(2));
		expect(room.kube.verbs).toEqual(['patch']);
	});

	it('the request ends between the create and the count of those that shared it: they go on to the next', async () => {
		const room = new IngestRoom();
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
		const room = new IngestRoom();
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
		const room = new IngestRoom();
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
		const room = new IngestRoom();
		room.lock.contendedFor = 2;
		await expect(room.ingest()).resolves.toEqual(created);
		expect(room.retries).toEqual(['retrying after 1', 'retrying after 2', 'succeeded']);
	});

	it('shows its request while we wait: the wait ends, and it is counted on without the lock', async () => {
		const room = new IngestRoom();
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
		const room = new IngestRoom();
		room.lock.fault = fault;
		await expect(room.ingest()).resolves.toMatchObject(want);
	});

	it('the lock is lost before the write: nothing is written', async () => {
		const room = new IngestRoom();
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
		const room = new IngestRoom();
		room.kube.beforeEach = () => {
			throw fault;
		};
		await expect(room.ingest()).resolves.toMatchObject(want);
	});

	it('a create whose answer was lost is found by its token, and is no duplicate', async () => {
		const room = new IngestRoom();
		room.kube.beforeEach = ({ verb }) => (verb === 'create' ? 'answer lost' : 'answered');
		await expect(room.ingest()).resolves.toEqual(created);
		expect(room.kube.verbs).toEqual(['create', 'get']);
	});

	it('a create that never arrived is for the sender to repeat', async () => {
		const room = new IngestRoom();
		room.kube.beforeEach = ({ verb }) => (verb === 'create' ? 'lost' : 'answered');
		await expect(room.ingest()).resolves.toMatchObject({ outcome: 'later', reason: 'api-unavailable' });
	});

	it('a bug stays a bug', async () => {
		const room = new IngestRoom();
		room.kube.beforeEach = () => {
			throw new TypeError('a bug');
		};
		await expect(room.ingest()).rejects.toThrow('a bug');
	});
});
