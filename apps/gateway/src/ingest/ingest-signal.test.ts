import { describe, expect, it } from 'vitest';
import { created, duplicate, IngestFixture } from '../../test/fixtures/ingest-fixture.ts';
import { FINGERPRINT, FIRST } from '../../test/fixtures/sample-signal.ts';
import { finishedChain, linkOf, totalOf } from '../../test/simulation/store-model.ts';
import { LockClosedError, LockFault, LockLostError } from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import { linkName } from '../objects/request-link.ts';

describe('before all requests are listed', () => {
	it('before all requests are listed every signal is deferred, and nothing is written', async () => {
		const fixture = new IngestFixture();
		fixture.listed = false;
		const want = { outcome: 'deferred', reason: 'starting' };
		await expect(fixture.ingest()).resolves.toMatchObject(want);
		await expect(fixture.resolve()).resolves.toMatchObject(want);
		expect(fixture.kube.verbs).toEqual([]);
		expect(fixture.lock.attempts).toBe(0);
	});
});

describe('the fast path', () => {
	it('a signal whose request is active in the cache is counted on it without the lock', async () => {
		const fixture = await IngestFixture.withRequest();
		await expect(fixture.ingest()).resolves.toEqual(duplicate(2));
		expect(fixture.kube.verbs).toEqual(['adjust']);
		expect(fixture.lock.attempts).toBe(0);
	});

	it('a signal whose request has ended, unknown to the cache, creates the next one', async () => {
		const fixture = await IngestFixture.withRequest();
		fixture.end();
		await expect(fixture.ingest()).resolves.toMatchObject({ outcome: 'created', occurrenceCount: 1 });
		expect(fixture.active).toMatchObject([{ chain: 1, slots: {} }]);
		expect(linkOf(fixture.kube.store, FIRST)?.slots).toEqual({});
	});

	it.each([
		{ name: 'gone', foreground: false, wantChain: 0 },
		{ name: 'being deleted', foreground: true, wantChain: 1 },
	])(
		'a signal whose request is $name, unknown to the cache, creates another one',
		async ({ foreground, wantChain }) => {
			const fixture = new IngestFixture();
			fixture.createdByOther();
			await fixture.sync();
			fixture.kube.serve({ verb: 'delete', name: FIRST, foreground });
			await expect(fixture.ingest()).resolves.toMatchObject({ outcome: 'created' });
			expect(fixture.active).toMatchObject([{ chain: wantChain, slots: {} }]);
		},
	);
});

describe('the slow path', () => {
	it('of equal signals one creates the request, and the others are counted on it in one write', async () => {
		const fixture = new IngestFixture();
		const results = await Promise.all(Array.from({ length: 5 }, () => fixture.ingest()));
		expect(results).toEqual([created, duplicate(2), duplicate(3), duplicate(4), duplicate(5)]);
		expect(fixture.kube.verbs).toEqual(['create', 'adjust']);
		expect(fixture.lock.attempts).toBe(1);
	});

	it('equal signals are all counted on the request that another replica created first', async () => {
		const fixture = new IngestFixture();
		fixture.createdByOther();
		const results = await Promise.all([fixture.ingest(), fixture.ingest()]);
		expect(results).toEqual([duplicate(2), duplicate(3)]);
	});

	it('a signal whose request in the cache is finished announces and creates the next one', async () => {
		const fixture = new IngestFixture();
		fixture.kube.store = finishedChain(2, (uid) => linkName(FINGERPRINT, uid));
		await fixture.sync();
		await expect(fixture.ingest()).resolves.toMatchObject({ outcome: 'created' });
		expect(fixture.active).toMatchObject([{ chain: 2, token: '7' }]);
		expect(fixture.kube.verbs).toEqual(['patch', 'create']);
	});

	it('a created request is in the cache at once: the next signal needs no lock', async () => {
		const fixture = new IngestFixture();
		await fixture.ingest();
		fixture.kube.requests.length = 0;
		await expect(fixture.ingest()).resolves.toEqual(duplicate(2));
		expect(fixture.kube.verbs).toEqual(['adjust']);
	});

	it('equal signals whose request ends before they are counted go on to the next request', async () => {
		const fixture = new IngestFixture();
		let ended = false;
		fixture.kube.beforeEach = ({ verb }) => {
			if (verb === 'adjust' && !ended) {
				ended = true;
				fixture.end();
			}
			return 'answered';
		};
		const results = await Promise.all([fixture.ingest(), fixture.ingest(), fixture.ingest()]);
		expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'created', 'duplicate']);
		expect(fixture.kube.store.links.map(totalOf)).toEqual([1, 2]);
	});

	it('a signal whose requests keep ending is deferred as contention', async () => {
		const fixture = await IngestFixture.withRequest();
		fixture.kube.beforeEach = (request) => {
			if (request.verb === 'adjust') fixture.end(request.name);
			if (request.verb === 'create') fixture.createdByOther(request.name, request.chain);
			return 'answered';
		};
		await expect(fixture.ingest()).resolves.toMatchObject({ outcome: 'deferred', reason: 'contention' });
	});
});

describe('a lock that another replica holds', () => {
	it('a lock that another replica keeps is tried ten times, with nine waits of 6.5 s in all; then the signal is deferred', async () => {
		const fixture = new IngestFixture();
		fixture.lock.contendedFor = Number.POSITIVE_INFINITY;
		await expect(fixture.ingest()).resolves.toMatchObject({
			outcome: 'deferred',
			reason: 'lock-timeout',
			retryAfterMs: 1000,
		});
		expect(fixture.lock.attempts).toBe(10);
		expect(fixture.lock.waits).toEqual([100, 200, 400, 800, 1000, 1000, 1000, 1000, 1000]);
		expect(fixture.retries.filter((event) => event.startsWith('retrying'))).toHaveLength(9);
		expect(fixture.retries.at(-1)).toBe('timed out');
		expect(fixture.kube.requests).toEqual([]);
	});

	it('a lock that is released between attempts is acquired, and the request created', async () => {
		const fixture = new IngestFixture();
		fixture.lock.contendedFor = 2;
		await expect(fixture.ingest()).resolves.toEqual(created);
		expect(fixture.retries).toEqual(['retrying after 1', 'retrying after 2', 'succeeded']);
	});

	it('a request that another replica creates during the wait ends the wait and is counted on without the lock', async () => {
		const fixture = new IngestFixture();
		fixture.lock.contendedFor = Number.POSITIVE_INFINITY;
		fixture.lock.onWait = async (abort) => {
			const woken = new Promise((resolve) => abort?.addEventListener('abort', resolve));
			fixture.createdByOther();
			await fixture.sync();
			await woken;
		};
		await expect(fixture.ingest()).resolves.toEqual(duplicate(2));
		expect(fixture.lock.attempts).toBe(1);
		expect(fixture.retries.at(-1)).toBe('succeeded');
	});
});

describe('faults', () => {
	it.each<{ name: string; fault: Error; want: object }>([
		{ name: 'shutting down', fault: new LockClosedError(), want: { outcome: 'deferred', reason: 'shutting-down' } },
		{
			name: 'no right to the lock',
			fault: new LockFault('forbidden', 'no'),
			want: { outcome: 'deferred', reason: 'api-forbidden' },
		},
		{
			name: 'no answer about the lock',
			fault: new LockFault('unavailable', 'no'),
			want: { outcome: 'deferred', reason: 'api-unavailable' },
		},
	])('a fault of the lock becomes a deferral: $name', async ({ fault, want }) => {
		const fixture = new IngestFixture();
		fixture.lock.fault = fault;
		await expect(fixture.ingest()).resolves.toMatchObject(want);
	});

	it('a lock that is lost before the write prevents the write', async () => {
		const fixture = new IngestFixture();
		fixture.lock.assertHeld = () => {
			throw new LockLostError(FINGERPRINT, 'released');
		};
		await expect(fixture.ingest()).resolves.toMatchObject({ outcome: 'deferred', reason: 'lock-timeout' });
		expect(fixture.kube.requests).toEqual([]);
	});

	it.each<{ name: string; fault: KubeError; want: object }>([
		{
			name: 'forbidden',
			fault: new KubeError('KUBE_FORBIDDEN', 'no'),
			want: { outcome: 'deferred', reason: 'api-forbidden' },
		},
		{
			name: 'unauthorized',
			fault: new KubeError('KUBE_UNAUTHORIZED', 'no'),
			want: { outcome: 'deferred', reason: 'api-forbidden' },
		},
		{ name: 'invalid', fault: new KubeError('KUBE_INVALID', 'bad'), want: { outcome: 'rejected', message: 'bad' } },
		{
			name: 'throttled',
			fault: new KubeError('KUBE_THROTTLED', 'slow down', { retryAfterMs: 3000 }),
			want: { outcome: 'deferred', reason: 'api-throttled', retryAfterMs: 3000 },
		},
	])('a fault of the API server becomes a deferral or a rejection: $name', async ({ fault, want }) => {
		const fixture = new IngestFixture();
		fixture.kube.beforeEach = () => {
			throw fault;
		};
		await expect(fixture.ingest()).resolves.toMatchObject(want);
	});

	it('a create whose answer was lost is found by its token, and is no duplicate', async () => {
		const fixture = new IngestFixture();
		fixture.kube.beforeEach = ({ verb }) => (verb === 'create' ? 'answer lost' : 'answered');
		await expect(fixture.ingest()).resolves.toEqual(created);
		expect(fixture.kube.verbs).toEqual(['create', 'get']);
	});

	it('a create that never arrived makes the signal deferred', async () => {
		const fixture = new IngestFixture();
		fixture.kube.beforeEach = ({ verb }) => (verb === 'create' ? 'lost' : 'answered');
		await expect(fixture.ingest()).resolves.toMatchObject({ outcome: 'deferred', reason: 'api-slow' });
	});

	it('an unexpected error is thrown, not turned into a result', async () => {
		const fixture = new IngestFixture();
		fixture.kube.beforeEach = () => {
			throw new TypeError('a bug');
		};
		await expect(fixture.ingest()).rejects.toThrow('a bug');
	});
});
