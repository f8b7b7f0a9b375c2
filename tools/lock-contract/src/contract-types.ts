// What the exam needs to know of a lock, as shapes: the exam imports no app. An app's own modules fit them, or its
// contract test does not compile.
import type { KubeConfig } from '@kubernetes/client-node';

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

export type ContractObserver = {
	attempted(): void;
	acquired(event: { key: string; holder: string; seconds: number; takeover: boolean }): void;
	contended(event: { key: string; holder: string }): void;
	failed(event: { key: string; fault: ContractFault }): void;
	released(event: { key: string; holder: string; heldSeconds: number }): void;
	releaseFailed(event: { key: string; holder: string; error: unknown }): void;
	lost(event: { key: string; holder: string; loss: string }): void;
	swept(event: { name: string; holder: string | undefined }): void;
	waiting(count: number): void;
};

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

// biome-ignore lint: a class is known by what it makes, not by what it is made from
type ErrorClass = abstract new (...args: any[]) => Error;

/** The rooms of an app that its lock lives in: what its contract test hands over. */
export type LockRooms = {
	/** Where the lock's rooms lie, and where the others do: for the checks that need processes of their own. */
	readonly directories: LockDirectories;
	readonly lock: {
		/** In front of the names of its Leases. */
		readonly LOCK_PREFIX: string;
		DistributedLock: new (
			options: ContractLockOptions,
			client: ContractLeaseClient,
			clock: ContractClock,
			observer: ContractObserver,
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
		createMetrics(): { readonly registry: { metrics(): Promise<string> }; readonly lock: ContractObserver };
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
