// Where one check of part two takes place: pods (each a lock with a client and a clock of its own) on the real API
// server, the Leases as they are there, and an empty namespace afterwards.
import { randomBytes } from 'node:crypto';
import { RecordedObserver } from '../any-lock/recorded-observer.ts';
import { type Feed, startFeed } from './lease-feed.ts';
import type { LeaseSite } from './lease-site.ts';
import type { ContractClock, ContractKube, ContractLease, ContractLock, ContractLockOptions } from './lock-modules.ts';
import { ManualTime, PodClock } from './manual-time.ts';
import { LEASES, type LeaseSpec, type RawLease } from './raw-lease.ts';
import { REAL_CLOCK } from './real-clock.ts';
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

export class LeaseStage {
	readonly site: LeaseSite;
	readonly time = new ManualTime(() => this.settled());
	readonly #pods: Pod<ContractClock>[] = [];
	readonly #feeds: Feed[] = [];
	readonly #cleanups: (() => unknown)[] = [];

	constructor(site: LeaseSite) {
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
		const { modules, namespace, app } = this.site;
		const name = options.podName ?? `${app}-${randomBytes(3).toString('hex')}`;
		const observer = new RecordedObserver();
		const client = new TappedClient(modules.client.createLeaseClient(kube, namespace, app), () => this.time.now);
		const { DistributedLock } = modules.lock;
		const lock = new DistributedLock(
			{ prefix: modules.lock.LOCK_PREFIX, podName: name, ...options },
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
		const { modules, namespace, app } = this.site;
		const feed = await startFeed(pod.lock, pod.kube, (object) => modules.client.toLease(object as never), {
			namespace,
			...(scope === 'own' ? { labelSelector: `kubernaut.ai/lock=${app}` } : {}),
		});
		this.#feeds.push(feed);
		return feed;
	}

	key(word = 'key'): string {
		return `${word}/${randomBytes(6).toString('hex')}`;
	}

	fault(kind: 'forbidden' | 'unavailable' | 'timeout', message = `made by the check: ${kind}`): Error {
		return new this.site.modules.lock.LockFault(kind, message);
	}

	/** The Lease as the API server has it. */
	async lease(name: string): Promise<RawLease | undefined> {
		const { status, body } = await this.site.admin.send('GET', `${LEASES(this.site.namespace)}/${name}`);
		return status === 404 ? undefined : (body as RawLease);
	}

	leaseOf(pod: Pod<ContractClock>, key: string): Promise<RawLease | undefined> {
		return this.lease(pod.lock.leaseName(key));
	}

	/** A Lease of a foreign process. */
	async plant(name: string, spec: LeaseSpec, labels: Readonly<Record<string, string>> = {}): Promise<RawLease> {
		const body = { metadata: { name, labels }, spec };
		return (await this.site.admin.call('POST', LEASES(this.site.namespace), { body })) as RawLease;
	}

	/** Overwrites fields of it, as an administrator could. */
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
		return this.site.modules.client.toLease(raw as never);
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
