// The port of part one: everything that the suite knows of a lock, whatever the lock is made of. An app whose lock is
// not a Lease writes one; for a Lease, ../lease/lease-port.ts has it.
import type { KubeApi } from '@kubernaut/control-plane';
import type { KubeConfig } from '@kubernetes/client-node';
import type { RecordedObserver } from './recorded-observer.ts';

export type AnyHeld = { readonly key: string; readonly holder: string; readonly fencingToken: bigint };
export type AnyContended = { readonly outcome: 'contended'; readonly holder: string; readonly retryAfterMs: number };
export type AnyAcquisition = { readonly outcome: 'acquired'; readonly held: AnyHeld } | AnyContended;

export type AnyLock = {
	/** Keys for which this process keeps something in memory. */
	readonly activeKeys: number;
	/** One attempt. */
	tryAcquire(key: string): Promise<AnyAcquisition>;
	/** Never rejects. */
	release(held: AnyHeld): Promise<void>;
	inspect(key: string): Promise<{ readonly holder: string } | undefined>;
	/** Nothing is acquired any more. */
	shutdown(graceMs: number): Promise<void>;
	/** Callers of one process wait in line, and one after the other runs. A lock without it waives `withLock`. */
	withLock?<T>(
		key: string,
		run: (held: AnyHeld) => Promise<T>,
	): Promise<{ readonly outcome: 'ran'; readonly value: T } | AnyContended>;
};

/** What every lock reports. */
export type AnyLockObserver = {
	attempted(): void;
	acquired(event: { key: string; holder: string; seconds: number; takeover: boolean }): void;
	contended(event: { key: string; holder: string }): void;
	failed(event: { key: string; fault: Error & { readonly kind: string } }): void;
	released(event: { key: string; holder: string; heldSeconds: number }): void;
	releaseFailed(event: { key: string; holder: string; error: unknown }): void;
};

export type PodOptions = {
	readonly name: string;
	readonly namespace: string;
	readonly kubeConfig: KubeConfig;
	readonly requestTimeoutMs: number;
	readonly observer: RecordedObserver;
};

/** One process of the app, as far as its lock goes. */
export type StartedLock = { readonly lock: AnyLock; close(): Promise<void> };

/** An administrator's hand on the objects of one namespace. */
export type AdminAccess = { readonly admin: KubeApi; readonly namespace: string };

/** The lock object of a key. `version` differs as soon as anything of the object does. */
export type HolderRecord = { readonly holder: string; readonly version: string };

// biome-ignore lint: a class is known by what it makes, not by what it is made from
export type ErrorClass = abstract new (...args: any[]) => Error;

export type LockPort = {
	/** The lock objects, as an RBAC rule names them. */
	readonly resource: { readonly apiGroup: string; readonly plural: string };
	/** What its Role must allow; without, the app's own `deploy/apps/<app>/rbac.yaml` is applied. */
	readonly verbs?: readonly string[];
	/** Its errors have a `kind`. */
	readonly LockFault: ErrorClass;
	readonly LockClosedError: ErrorClass;
	/** Every `kind` that there is. */
	readonly faultKinds: readonly string[];
	start(options: PodOptions): StartedLock;
	/** How another process makes the same port: it imports `module` and calls its `openPort(argument)`. */
	readonly inOwnProcess: { readonly module: string; readonly argument: unknown };
	/** Another holder's lock object, as a foreign process would have made it. */
	plant(access: AdminAccess, key: string, holder: string): Promise<void>;
	read(access: AdminAccess, key: string): Promise<HolderRecord | undefined>;
	/** Removes the lock object of a key under its holder. */
	remove(access: AdminAccess, key: string): Promise<void>;
	/** Removes all lock objects of the namespace. */
	clear(access: AdminAccess): Promise<void>;
	/** A lock whose app has no metrics yet waives `metrics`. */
	createMetrics?(): { readonly registry: { metrics(): Promise<string> }; readonly lock: AnyLockObserver };
};

export type PortModule = { openPort(argument: unknown): Promise<LockPort> };
