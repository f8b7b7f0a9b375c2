// Where one check takes place: pods (locks of their own, with a client and a clock of their own) on the real API
// server, the Leases as they really are, and a clean room afterwards.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type {
	ContractClock,
	ContractHeld,
	ContractKube,
	ContractLease,
	ContractLock,
	ContractLockOptions,
} from './contract-types.ts';
import type { ExamSite } from './exam-site.ts';
import { ExamTime, PodClock } from './exam-time.ts';
import { type Feed, startFeed } from './lease-feed.ts';
import { LEASES, type LeaseSpec, type RawLease } from './raw-lease.ts';
import { RecordedObserver } from './recorded-observer.ts';
import { TappedClient } from './tapped-client.ts';

export type Pod<C extends ContractClock = PodClock> = {
	readonly name: string;
	readonly lock: ContractLock;
	readonly client: TappedClient;
	readonly clock: C;
	readonly observer: RecordedObserver;
	readonly kube: ContractKube;
};
type Skew = { readonly zeroMs?: number; readonly wallMs?: number };
type PodOptions = Partial<ContractLockOptions> & { readonly skew?: Skew; readonly kube?: ContractKube };

export const REAL_CLOCK: ContractClock = {
	now: () => performance.now(),
	wallTime: () => new Date(),
	setTimer(onElapsed, delayMs) {
		const timer = setTimeout(onElapsed, delayMs);
		return () => clearTimeout(timer);
	},
};

export class ExamRoom {
	readonly site: ExamSite;
	readonly time = new ExamTime(() => this.settled());
	readonly #pods: Pod<ContractClock>[] = [];
	readonly #feeds: Feed[] = [];
	readonly #cleanups: (() => unknown)[] = [];

	constructor(site: ExamSite) {
		this.site = site;
	}

	/** Another pod of the app, in injected time. */
	pod(options: PodOptions = {}): Pod {
		return this.#addPod(this.time.clock(options.skew), options);
	}

	/** Another pod of the app, in real time. */
	podInRealTime(options: PodOptions = {}): Pod<ContractClock> {
		return this.#addPod(REAL_CLOCK, options);
	}

	#addPod<C extends ContractClock>(clock: C, { skew: _, kube = this.site.kube, ...options }: PodOptions): Pod<C> {
		const { rooms, namespace, app } = this.site;
		const name = options.podName ?? `${app}-${randomBytes(3).toString('hex')}`;
		const observer = new RecordedObserver();
		const client = new TappedClient(rooms.client.createLeaseClient(kube, namespace, app), () => this.time.now);
		const { DistributedLock } = rooms.lock;
		const lock = new DistributedLock(
			{ prefix: rooms.lock.LOCK_PREFIX, podName: name, ...options },
			client,
			clock,
			observer,
		);
		const pod = { name, lock, client, clock, observer, kube };
		this.#pods.push(pod);
		return pod;
	}

	/** Feeds the pod from a real watch. `all`: also with Leases that are not its app's. */
	async watch(pod: Pod<ContractClock>, scope: 'own' | 'all' = 'own'): Promise<Feed> {
		const { rooms, namespace, app } = this.site;
		const feed = await startFeed(pod.lock, pod.kube, (object) => rooms.client.toLease(object as never), {
			namespace,
			...(scope === 'own' ? { labelSelector: `kubernaut.ai/lock=${app}` } : {}),
		});
		this.#feeds.push(feed);
		return feed;
	}

	key(word = 'key'): string {
		return `${word}/${randomBytes(6).toString('hex')}`;
	}

	fault(kind: 'forbidden' | 'unavailable' | 'timeout', message = `made by the exam: ${kind}`): Error {
		return new this.site.rooms.lock.LockFault(kind, message);
	}

	/** The Lease as the API server has it. */
	async lease(name: string): Promise<RawLease | undefined> {
		const { status, body } = await this.site.admin.send('GET', `${LEASES(this.site.namespace)}/${name}`);
		return status === 404 ? undefined : (body as RawLease);
	}

	leaseOf(pod: Pod<ContractClock>, key: string): Promise<RawLease | undefined> {
		return this.lease(pod.lock.leaseName(key));
	}

	/** A Lease that somebody else wrote. */
	async plant(name: string, spec: LeaseSpec, labels: Readonly<Record<string, string>> = {}): Promise<RawLease> {
		const body = { metadata: { name, labels }, spec };
		return (await this.site.admin.call('POST', LEASES(this.site.namespace), { body })) as RawLease;
	}

	/** Overwrites it with whatever it is given: somebody's hand. */
	async overwrite(name: string, spec: LeaseSpec): Promise<RawLease> {
		const path = `${LEASES(this.site.namespace)}/${name}`;
		const current = await this.site.admin.call('GET', path);
		const body = { ...current, spec: { ...current['spec'], ...spec } };
		return (await this.site.admin.call('PUT', path, { body })) as RawLease;
	}

	async remove(name: string): Promise<void> {
		await this.site.admin.call('DELETE', `${LEASES(this.site.namespace)}/${name}`);
	}

	toLease(raw: RawLease): ContractLease {
		return this.site.rooms.client.toLease(raw as never);
	}

	/** For what must be undone when the check is over. */
	onClose(cleanup: () => unknown): void {
		this.#cleanups.push(cleanup);
	}

	async settled(): Promise<void> {
		for (let round = 0; round < 2; round++) for (const { client } of this.#pods) await client.settled();
	}

	async close(): Promise<void> {
		for (const cleanup of this.#cleanups) await cleanup();
		await Promise.all(this.#feeds.map((feed) => feed.stop()));
		for (const { client, clock } of this.#pods) {
			client.cutOff(this.fault('unavailable', 'the check is over'));
			if (clock instanceof PodClock) clock.stopped = false;
		}
		const left = Promise.all(this.#pods.map(({ lock }) => lock.shutdown(0)));
		await Promise.race([this.time.advance(1000).then(() => left), new Promise((resolve) => setTimeout(resolve, 1000))]);
		await this.site.admin.call('DELETE', LEASES(this.site.namespace));
	}
}

export async function acquire(pod: Pod<ContractClock>, key: string): Promise<ContractHeld> {
	const acquisition = await answerTo(pod, key);
	if (acquisition.outcome !== 'acquired') expect.fail(`${pod.name} did not get ${key}: ${acquisition.holder} has it`);
	return acquisition.held;
}

export async function expectContended(pod: Pod<ContractClock>, key: string, holder?: string): Promise<number> {
	const acquisition = await answerTo(pod, key);
	if (acquisition.outcome !== 'contended') expect.fail(`${pod.name} got ${key}, which another holds`);
	if (holder !== undefined) expect(acquisition.holder).toBe(holder);
	return acquisition.retryAfterMs;
}

/** Where no fault was made, an exception is a wrong answer like any other. */
export function answerTo(pod: Pod<ContractClock>, key: string) {
	return pod.lock
		.tryAcquire(key)
		.catch((error: unknown) => expect.fail(`${pod.name} asked for ${key}, and it threw: ${String(error)}`));
}

/**
 * What it is refused with. Not `expect(…).rejects`: of tests that run at once, vitest books its outcome on whichever
 * began last.
 */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	return expect.fail('it was done, and should have been refused');
}

/** Its value; that it is refused is the lock's mistake, not an accident. */
export async function success<T>(promise: Promise<T>): Promise<T> {
	try {
		return await promise;
	} catch (error) {
		return expect.fail(`it was refused, and should have been done: ${String(error)}`);
	}
}
