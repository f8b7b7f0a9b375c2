// A lock that is not a Lease, for the test of part one: a ConfigMap per key. Creating it acquires the key, deleting it
// releases the key, and nothing expires. A lock over a PipelineRun has the same shape.
// Lacks: callers that wait inside the process (`withLock`), and metrics.
import { createHash, randomBytes } from 'node:crypto';
import type { AnyAcquisition, AnyHeld, AnyLockObserver } from '../../src/any-lock/lock-port.ts';

export type Kube = {
	call<T>(call: {
		readonly verb: 'create' | 'get' | 'delete';
		readonly path: string;
		readonly resource: 'configmaps';
		readonly namespace: string;
		readonly body?: unknown;
	}): Promise<T>;
};
export type ConfigMap = {
	readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
	readonly data: { readonly holder: string; readonly key: string };
};
export type HeldConfigMap = AnyHeld & { readonly uid: string };

export const FAULT_KINDS = ['forbidden', 'throttled', 'unavailable', 'timeout'] as const;
type FaultKind = (typeof FAULT_KINDS)[number];
const KINDS: Readonly<Record<string, FaultKind>> = {
	KUBE_FORBIDDEN: 'forbidden',
	KUBE_NOT_GRANTED: 'forbidden',
	KUBE_UNAUTHORIZED: 'forbidden',
	KUBE_THROTTLED: 'throttled',
	KUBE_TIMEOUT: 'timeout',
};
const EXPECTED = new Set<unknown>(['KUBE_ALREADY_EXISTS', 'KUBE_CONFLICT', 'KUBE_NOT_FOUND']);
/** A holder never expires: a time after which a look is worth its call. */
const RETRY_AFTER_MS = 1000;

export class ConfigMapLockFault extends Error {
	readonly kind: FaultKind;
	constructor(cause: Error, kind: FaultKind) {
		super(cause.message, { cause });
		this.kind = kind;
	}
}

export class ConfigMapLockClosedError extends Error {}

export type ConfigMapLockOptions = {
	readonly kube: Kube;
	readonly namespace: string;
	readonly podName: string;
	readonly observer: AnyLockObserver;
};

export const LABELS = { 'example.kubernaut.ai/lock': 'config-map' };

export function configMapsPath(namespace: string): string {
	return `/api/v1/namespaces/${namespace}/configmaps`;
}

export function configMapName(key: string): string {
	return `lock-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}

export class ConfigMapLock {
	readonly #options: ConfigMapLockOptions;
	readonly #held = new Map<string, HeldConfigMap>();
	#closed = false;

	constructor(options: ConfigMapLockOptions) {
		this.#options = options;
	}

	get activeKeys(): number {
		return this.#held.size;
	}

	async tryAcquire(key: string): Promise<AnyAcquisition> {
		const { observer, podName } = this.#options;
		if (this.#closed) throw new ConfigMapLockClosedError('the process is shutting down');
		observer.attempted();
		const startedAt = performance.now();
		const holder = `${podName}_${randomBytes(8).toString('hex')}`;
		try {
			const created = await this.create(key, holder);
			if (created === undefined) return this.contended(key, (await this.inspect(key))?.holder ?? 'unknown');
			const { uid, resourceVersion } = created.metadata;
			const held: HeldConfigMap = { key, holder, fencingToken: BigInt(resourceVersion), uid };
			this.#held.set(key, held);
			observer.acquired({ key, holder, seconds: (performance.now() - startedAt) / 1000, takeover: false });
			return { outcome: 'acquired', held };
		} catch (error) {
			if (error instanceof ConfigMapLockFault) observer.failed({ key, fault: error });
			throw error;
		}
	}

	/** Deletes the very object that was created; one that is gone, or another's, is left alone. */
	async release(held: HeldConfigMap): Promise<void> {
		const { observer } = this.#options;
		if (this.#held.get(held.key) !== held) return;
		this.#held.delete(held.key);
		try {
			await this.call('delete', held.key, { body: this.deletion(held) });
			observer.released({ ...held, heldSeconds: 0 });
		} catch (error) {
			observer.releaseFailed({ ...held, error });
		}
	}

	async inspect(key: string): Promise<{ readonly holder: string } | undefined> {
		return (await this.call('get', key))?.data;
	}

	/** Locks stay: their holder is not this process. */
	async shutdown(): Promise<void> {
		this.#closed = true;
	}

	/** Undefined: the object is there already. */
	protected create(key: string, holder: string): Promise<ConfigMap | undefined> {
		const metadata = { name: configMapName(key), labels: LABELS };
		return this.call('create', key, { body: { metadata, data: { holder, key } } });
	}

	protected deletion({ uid }: HeldConfigMap): object {
		return { preconditions: { uid } };
	}

	protected contended(key: string, holder: string): AnyAcquisition {
		this.#options.observer.contended({ key, holder });
		return { outcome: 'contended', holder, retryAfterMs: RETRY_AFTER_MS };
	}

	/** Undefined where the API server says that the object is there already, is gone, or is another. */
	protected async call(verb: 'create' | 'get' | 'delete', key: string, body = {}): Promise<ConfigMap | undefined> {
		const { kube, namespace } = this.#options;
		const path = configMapsPath(namespace) + (verb === 'create' ? '' : `/${configMapName(key)}`);
		try {
			return await kube.call<ConfigMap>({ verb, path, resource: 'configmaps', namespace, ...body });
		} catch (error) {
			if (!(error instanceof Error && 'code' in error)) throw error;
			if (EXPECTED.has(error.code)) return undefined;
			throw new ConfigMapLockFault(error, KINDS[String(error.code)] ?? 'unavailable');
		}
	}
}
