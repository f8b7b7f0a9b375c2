// Every change of one kind in a namespace, in the order in which it was stored.
// Guarantee: no hidden gap. The API server hangs up on a watcher that is too slow, as one is on a busy machine: the watch
// goes on where it was cut off, and where the API server no longer knows that place, caughtUp() fails.
// Not guaranteed: that it is up to date; caughtUp() waits for that.
import { setTimeout as delay } from 'node:timers/promises';
import type { ObjectMeta } from '../../src/generated/object-meta.ts';
import { createKubeClient, type KubeClient, KubeError, loadKubeConfig } from '../../src/kube/kube.ts';
import { eventually } from './eventually.ts';

type Stored = { readonly metadata: ObjectMeta };
export type WatchedChange<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T };
type WatchEvent<T> =
	| WatchedChange<T>
	| { readonly type: 'BOOKMARK'; readonly object: T }
	| { readonly type: 'ERROR'; readonly object: T };

const CALL_TIMEOUT_MS = 30_000;
const SILENCE_MS = 600_000;
const RETRY_MS = 100;

/** The API server does not know any more what came after the last change that was recorded. */
class GapError extends Error {}

export class RecordedWatch<T extends Stored> {
	readonly #kube: KubeClient;
	readonly #call: { readonly resource: string; readonly namespace: string; readonly path: string };
	readonly #onChange: (change: WatchedChange<T>) => void;
	readonly #stopping = new AbortController();
	readonly #versions = new Set<string>();
	#recording: Promise<void> = Promise.resolve();
	#fault: unknown;

	private constructor(
		namespace: string,
		resource: string,
		kubeconfigPath: string,
		onChange: (change: WatchedChange<T>) => void,
	) {
		this.#kube = createKubeClient(loadKubeConfig(kubeconfigPath), CALL_TIMEOUT_MS, { called() {} });
		const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/${resource}`;
		this.#call = { resource, namespace, path };
		this.#onChange = onChange;
	}

	/** From now on; objects that exist already come first. */
	static async start<T extends Stored>(
		namespace: string,
		resource: string,
		kubeconfigPath: string,
		onChange: (change: WatchedChange<T>) => void,
	): Promise<RecordedWatch<T>> {
		const watch = new RecordedWatch<T>(namespace, resource, kubeconfigPath, onChange);
		const { items, metadata } = await watch.#list();
		for (const object of items) watch.#record({ type: 'ADDED', object });
		watch.#recording = watch.#follow(metadata.resourceVersion).catch((error: unknown) => {
			watch.#fault = error;
		});
		return watch;
	}

	/** With all that is stored by now. A watch may be behind a list: on a busy machine, by seconds. */
	async caughtUp(): Promise<void> {
		const { items } = await this.#list();
		const missing = async () => {
			if (this.#fault !== undefined) throw this.#fault;
			return items.filter(({ metadata }) => !this.#versions.has(metadata.resourceVersion)).length;
		};
		await eventually(missing, (count) => {
			if (count > 0) throw new Error(`${count} of the stored ${this.#call.resource} are not recorded yet`);
		});
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#recording;
		await this.#kube.close();
	}

	async #list(): Promise<{ items: T[]; metadata: { resourceVersion: string } }> {
		return this.#kube.call({ ...this.#call, verb: 'list' });
	}

	#record(change: WatchedChange<T>): void {
		this.#versions.add(change.object.metadata.resourceVersion);
		this.#onChange(change);
	}

	async #follow(from: string): Promise<void> {
		const { signal } = this.#stopping;
		let version = from;
		while (!signal.aborted) {
			try {
				const path = `${this.#call.path}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`;
				for await (const line of this.#kube.lines({ ...this.#call, verb: 'watch', path }, signal, SILENCE_MS)) {
					const event = JSON.parse(line) as WatchEvent<T>;
					if (event.type === 'ERROR') throw new GapError(`the history has a gap: ${line}`);
					version = event.object.metadata.resourceVersion;
					if (event.type !== 'BOOKMARK') this.#record(event);
				}
			} catch (error) {
				if (signal.aborted) return;
				if (error instanceof GapError || (error instanceof KubeError && error.code === 'KUBE_GONE')) throw error;
			}
			await delay(RETRY_MS); // cut off: from the last version on
		}
	}
}
