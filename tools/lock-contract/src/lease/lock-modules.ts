// The modules of an app whose lock is a Lease, as shapes: the suite imports no app. An app's own modules fit them, or its
// contract test does not compile.
import type { KubeConfig } from '@kubernetes/client-node';
import type { ErrorClass } from '../any-lock/lock-port.ts';
import type { LeaseObserver } from '../any-lock/recorded-observer.ts';

export type ContractLease = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly holder: string | undefined;
	readonly durationMs: number | undefined;
	readonly transitions: number;
	readonly acquireTime: string | undefined;
};

export type ContractLeaseWrite = {
	readonly name: string;
	readonly key: string;
	readonly holder: string;
	readonly durationMs: number;
	readonly transitions: number;
	readonly acquireTime: string;
	readonly renewTime: string;
};

export type ContractLeaseClient = {
	create(write: ContractLeaseWrite): Promise<ContractLease | 'exists'>;
	read(name: string): Promise<ContractLease | undefined>;
	replace(current: ContractLease, write: ContractLeaseWrite): Promise<ContractLease | 'changed' | 'gone'>;
	remove(current: ContractLease): Promise<'removed' | 'changed' | 'gone'>;
};

export type ContractClock = {
	now(): number;
	wallTime(): Date;
	setTimer(onElapsed: () => void, delayMs: number): () => void;
};

export type ContractFault = Error & { readonly kind: string };

export type ContractHeld = {
	readonly key: string;
	readonly holder: string;
	readonly fencingToken: bigint;
	readonly signal: AbortSignal;
	assertHeld(): void;
};
export type ContractContended = {
	readonly outcome: 'contended';
	readonly holder: string;
	readonly retryAfterMs: number;
};

export type ContractLockOptions = {
	readonly prefix: string;
	readonly podName: string;
	readonly leaseDurationMs?: number;
	readonly renewIntervalMs?: number;
	readonly requestTimeoutMs?: number;
	readonly marginMs?: number;
	readonly maxPeerDurationMs?: number;
	readonly sweepAfterDurations?: number;
	readonly sweepIntervalMs?: number;
};

export type ContractLock = {
	readonly config: Required<ContractLockOptions>;
	readonly activeKeys: number;
	readonly observations: {
		readonly size: number;
		removed(lease: Pick<ContractLease, 'name' | 'resourceVersion'>): void;
		replaceAll(leases: readonly ContractLease[], resourceVersion: string): void;
	};
	start(): void;
	seen(lease: ContractLease): void;
	withLock<T>(
		key: string,
		run: (held: ContractHeld) => Promise<T>,
		options?: { signal?: AbortSignal },
	): Promise<{ readonly outcome: 'ran'; readonly value: T } | ContractContended>;
	tryAcquire(key: string): Promise<{ readonly outcome: 'acquired'; readonly held: ContractHeld } | ContractContended>;
	release(held: ContractHeld): Promise<void>;
	inspect(key: string): Promise<{ readonly holder: string; readonly transitions: number } | undefined>;
	waitForRelease(key: string, atMostMs: number, signal?: AbortSignal): Promise<void>;
	shutdown(graceMs: number): Promise<void>;
	leaseName(key: string): string;
};

type KubeCall = {
	readonly verb: 'list' | 'watch';
	readonly path: string;
	readonly resource: string;
	readonly namespace: string;
	readonly signal?: AbortSignal;
};
export type ContractKube = {
	call<T>(call: KubeCall): Promise<T>;
	lines(call: KubeCall, signal: AbortSignal, idleTimeoutMs: number): AsyncGenerator<string>;
	close(): Promise<void>;
};

/** The modules of an app that make up its lock: the argument of its contract test. */
export type LockModules = {
	/** The folder of the lock's modules, and that of the others: for checks that need processes of their own. */
	readonly directories: LockDirectories;
	readonly lock: {
		/** The beginning of the names of its Leases. */
		readonly LOCK_PREFIX: string;
		DistributedLock: new (
			options: ContractLockOptions,
			client: ContractLeaseClient,
			clock: ContractClock,
			observer: LeaseObserver,
		) => ContractLock;
		LockClosedError: ErrorClass;
		LockLostError: ErrorClass;
		readonly LOCK_FAULTS: readonly string[];
		readonly LOSSES: readonly string[];
		LockFault: new (kind: 'forbidden' | 'unavailable' | 'timeout', message: string) => ContractFault;
	};
	readonly client: {
		createLeaseClient(kube: ContractKube, namespace: string, app: string): ContractLeaseClient;
		toLease(object: never): ContractLease;
	};
	readonly metrics: {
		createMetrics(): { readonly registry: { metrics(): Promise<string> }; readonly lock: LeaseObserver };
	};
	readonly kube: {
		loadKubeConfig(path: string | undefined): KubeConfig;
		createKubeClient(config: KubeConfig, requestTimeoutMs: number, observer: { called(): void }): ContractKube;
	};
	readonly identity: {
		identify(
			config: { podName?: string | undefined; podNamespace?: string | undefined },
			environment: Readonly<Record<string, string | undefined>>,
		): { podName: string; podNamespace: string; warning?: string } | { problem: string };
	};
};

export type LockDirectories = { readonly lock: URL; readonly others: URL };
