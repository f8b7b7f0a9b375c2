// The seven unit scenarios of TD-NOT-001, by their names, on this app's lock over Leases in memory.
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { DistributedLock, LockFault, type LockObserver } from '../src/distributed-lock.ts';
import type { Lease, LeaseClient, LeaseWrite } from '../src/lock/lock-ports.ts';

const SILENT = new Proxy({} as LockObserver, { get: () => () => {} });

class Leases implements LeaseClient {
	readonly stored = new Map<string, Lease>();
	fault: LockFault | undefined;
	#version = 0;

	async create(write: LeaseWrite): Promise<Lease | 'exists'> {
		this.#mayFail();
		return this.stored.has(write.name) ? 'exists' : this.#put(write, `uid-${this.#version}`);
	}
	async read(name: string): Promise<Lease | undefined> {
		this.#mayFail();
		return this.stored.get(name);
	}
	async replace(current: Lease, write: LeaseWrite): Promise<Lease | 'changed' | 'gone'> {
		this.#mayFail();
		const stored = this.stored.get(current.name);
		if (stored === undefined) return 'gone';
		return stored.resourceVersion === current.resourceVersion ? this.#put(write, stored.uid) : 'changed';
	}
	async remove(current: Lease): Promise<'removed' | 'changed' | 'gone'> {
		const stored = this.stored.get(current.name);
		if (stored === undefined) return 'gone';
		if (stored.resourceVersion !== current.resourceVersion) return 'changed';
		this.stored.delete(current.name);
		return 'removed';
	}
	#mayFail(): void {
		if (this.fault !== undefined) throw this.fault;
	}
	#put({ name, holder, durationMs, transitions, acquireTime }: LeaseWrite, uid: string): Lease {
		const lease = { name, uid, resourceVersion: String(++this.#version), holder, durationMs, transitions, acquireTime };
		this.stored.set(name, lease);
		return lease;
	}
}

function pods() {
	const clock = new ManualClock();
	const leases = new Leases();
	const pod = (podName: string) =>
		new DistributedLock(
			{ podName },
			leases,
			{ now: () => clock.now(), wallTime: () => clock.wallTime(), setTimer: (fire, ms) => clock.setTimer(fire, ms) },
			SILENT,
		);
	return { clock, leases, a: pod('a'), b: pod('b') };
}
const KEY = 'uid-1-slack';

describe('TD-NOT-001, unit scenarios', () => {
	it('1. lock acquisition success (lease does not exist)', async () => {
		const { a, leases } = pods();
		const acquisition = await a.tryAcquire(KEY);
		if (acquisition.outcome !== 'acquired') throw new Error('contended');
		const [lease] = leases.stored.values();
		expect(lease?.name).toMatch(/^notification-delivery-[0-9a-f]{32}$/);
		expect(lease).toMatchObject({ durationMs: 30_000, transitions: 0 });
		expect(acquisition.held.lease).toBe(`${lease?.name}/${lease?.uid}`);
		expect(a.config.renewIntervalMs).toBe(10_000);
	});

	it('2. lock acquisition failure (lease held by another pod)', async () => {
		const { a, b } = pods();
		await a.tryAcquire(KEY);
		expect(await b.tryAcquire(KEY)).toMatchObject({ outcome: 'contended', holder: expect.stringMatching(/^a_/) });
		expect(b.knownHolder(KEY)).toMatch(/^a_/);
		expect(a.knownHolder(KEY)).toBeUndefined();
	});

	it('3. lock renewal success (lease expired): it is taken over', async () => {
		const { b, clock, leases } = pods();
		const name = b.leaseName(KEY);
		const dead = {
			name,
			key: KEY,
			holder: 'dead_1',
			durationMs: 30_000,
			transitions: 0,
			acquireTime: '',
			renewTime: '',
		};
		await leases.create(dead);
		expect((await b.tryAcquire(KEY)).outcome).toBe('contended');
		clock.advance(30_000);
		expect(b.knownHolder(KEY)).toBeUndefined();
		expect((await b.tryAcquire(KEY)).outcome).toBe('acquired');
		expect(leases.stored.get(name)?.transitions).toBe(1);
	});

	it('4. lock release success', async () => {
		const { a, b, leases } = pods();
		const acquisition = await a.tryAcquire(KEY);
		if (acquisition.outcome !== 'acquired') throw new Error('contended');
		await a.release(acquisition.held);
		expect(leases.stored.size).toBe(0);
		expect((await b.tryAcquire(KEY)).outcome).toBe('acquired');
	});

	it('5. error handling (API errors)', async () => {
		const { a, leases } = pods();
		leases.fault = new LockFault('forbidden', 'the Role lacks {"verbs":["create"]}');
		await expect(a.tryAcquire(KEY)).rejects.toThrow('the Role lacks {"verbs":["create"]}');
		leases.fault = undefined;
		expect((await a.tryAcquire(KEY)).outcome).toBe('acquired');
	});

	it('6. lease expiration logic: by our own observation, and the holder stops before it', async () => {
		const { a, b, clock, leases } = pods();
		const acquisition = await a.tryAcquire(KEY);
		if (acquisition.outcome !== 'acquired') throw new Error('contended');
		await b.tryAcquire(KEY);
		leases.fault = new LockFault('unavailable', 'away'); // a cannot renew
		clock.advance(29_000);
		expect(() => acquisition.held.assertHeld()).toThrow('expired');
		leases.fault = undefined;
		expect((await b.tryAcquire(KEY)).outcome).toBe('contended');
		clock.advance(1000);
		expect((await b.tryAcquire(KEY)).outcome).toBe('acquired');
	});

	it('7. race condition prevention (concurrent acquisitions): 10 contenders, 1 winner', async () => {
		const { leases, clock } = pods();
		const locks = Array.from(
			{ length: 10 },
			(_, i) =>
				new DistributedLock(
					{ podName: `pod-${i}` },
					leases,
					{
						now: () => clock.now(),
						wallTime: () => clock.wallTime(),
						setTimer: (fire, ms) => clock.setTimer(fire, ms),
					},
					SILENT,
				),
		);
		const results = await Promise.all(locks.map((lock) => lock.tryAcquire(KEY)));
		expect(results.filter(({ outcome }) => outcome === 'acquired')).toHaveLength(1);
	});
});
