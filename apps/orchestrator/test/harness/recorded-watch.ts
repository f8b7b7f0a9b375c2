// Everything that a watch tells of one kind in a namespace, in the order in which it was stored.
// Guarantee: no gap that nobody is told of. The API server hangs up on a watcher that is too slow, as one is on a busy
// machine: the watch goes on where it was cut off, and where the API server no longer knows that place, whoever asks is
// told.
// Not guaranteed: that it is up to date; caughtUp() waits for that.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import { createKubeClient, type KubeClient, KubeError, loadKubeConfig } from '../../src/kube/kube.ts';
import { eventually } from './eventually.ts';

export type WatchedChange = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject };
type WatchEvent =
	| WatchedChange
	| { readonly type: 'BOOKMARK'; readonly object: KubeObject }
	| { readonly type: 'ERROR'; readonly object: KubeObject };

const CALL_TIMEOUT_MS = 30_000;
const SILENCE_MS = 600_000;
const AGAIN_AFTER_MS = 100;

/** The API server does not know any more what came after the last change that was recorded. */
class GapError extends Error {}

export class RecordedWatch {
	readonly #kube: KubeClient;
	readonly #call: { readonly resource: string; readonly namespace: string; readonly path: string };
	readonly #onChange: (change: WatchedChange) => void;
	readonly #stopping = new AbortController();
	readonly #versions = new Set<string>();
	#recording: Promise<void> = Promise.resolve();
	#fault: unknown;

	private constructor(
		namespace: string,
		resource: string,
		kubeconfigPath: string,
		onChange: (change: WatchedChange) => void,
	) {
		this.#kube = createKubeClient(loadKubeConfig(kubeconfigPath), CALL_TIMEOUT_MS, { called() {} });
		const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/${resource}`;
		this.#call = { resource, namespace, path };
		this.#onChange = onChange;
	}

	/** From now on; what is there already comes first. */
	static async start(
		namespace: string,
		resource: string,
		kubeconfigPath: string,
		onChange: (change: WatchedChange) => void,
	): Promise<RecordedWatch> {
		const watch = new RecordedWatch(namespace, resource, kubeconfigPath, onChange);
		const { items, metadata } = await watch.#list();
		for (const object of items) watch.#record({ type: 'ADDED', object });
		watch.#recording = watch.#follow(metadata.resourceVersion).catch((error: unknown) => {
			watch.#fault = error;
		});
		return watch;
	}

	/** With all that is stored by now. A watch may be behind what a list tells already: on a busy machine, by seconds. */
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

	async #list(): Promise<{ items: KubeObject[]; metadata: { resourceVersion: string } }> {
		return this.#kube.call({ ...this.#call, verb: 'list' });
	}

	#record(change: WatchedChange): void {
		this.#versions.add(change.object['metadata'].resourceVersion);
		this.#onChange(change);
	}

	async #follow(from: string): Promise<void> {
		const { signal } = this.#stopping;
		let version = from;
		while (!signal.aborted) {
			try {
				const path = `${this.#call.path}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`;
				for await (const line of this.#kube.lines({ ...this.#call, verb: 'watch', path }, signal, SILENCE_MS)) {
					const event = JSON.parse(line) as WatchEvent;
					if (event.type === 'ERROR') throw new GapError(`the history has a gap: ${line}`);
					version = event.object['metadata'].resourceVersion;
					if (event.type !== 'BOOKMARK') this.#record(event);
				}
			} catch (error) {
				if (signal.aborted) return;
				if (error instanceof GapError || (error instanceof KubeError && error.code === 'KUBE_GONE')) throw error;
			}
			await delay(AGAIN_AFTER_MS); // cut off: from the last version on
		}
	}
}
