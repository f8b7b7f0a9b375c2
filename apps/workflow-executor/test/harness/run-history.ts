// Every change of the objects of one kind, as a watch delivers them, in the form in which they are judged (run-promises.ts). For
// control planes whose etcd is not at hand; pods and TaskRuns are not among them, because Tekton is played there.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject, StoredChange } from '@kubernaut/control-plane';
import { createKubeClient, type KubeClient, KubeError, loadKubeConfig } from '../../src/kube/kube.ts';

type Change = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject };

const SILENCE_MS = 600_000;
const RETRY_MS = 100;
const POLL_MS = 20;
const CALL_TIMEOUT_MS = 30_000;

export class RecordedChanges {
	readonly changes: StoredChange[] = [];
	readonly #kube: KubeClient;
	readonly #path: string;
	readonly #keys: string;
	readonly #stopping = new AbortController();
	readonly #recording: Promise<void>;
	/** Resource versions of what is there, by uid. */
	readonly #versions = new Map<string, string>();
	#fault: unknown;

	/** `keys`: the beginning of their keys in etcd. */
	constructor(kubeconfig: string, path: string, keys: string) {
		this.#kube = createKubeClient(loadKubeConfig(kubeconfig), CALL_TIMEOUT_MS, { called() {} });
		this.#path = path;
		this.#keys = keys;
		this.#recording = this.#follow().catch((error: unknown) => {
			this.#fault = error;
		});
	}

	/** With all that is stored by now; fails when there is a gap. */
	async caughtUp(): Promise<void> {
		const call = { verb: 'list', resource: 'history', path: this.#path } as const;
		for (;;) {
			if (this.#fault !== undefined) throw this.#fault;
			const { items } = await this.#kube.call<{ readonly items: readonly KubeObject[] }>(call);
			const isSeen = ({ metadata }: KubeObject) => this.#versions.get(metadata.uid) === metadata.resourceVersion;
			if (items.length === this.#versions.size && items.every(isSeen)) return;
			await delay(POLL_MS);
		}
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#recording;
		await this.#kube.close();
		if (this.#fault !== undefined) throw this.#fault;
	}

	async #follow(): Promise<void> {
		const { signal } = this.#stopping;
		let version = '0';
		while (!signal.aborted) {
			try {
				const path = `${this.#path}?watch=1&resourceVersion=${version}`;
				for await (const line of this.#kube.lines({ verb: 'watch', resource: 'history', path }, signal, SILENCE_MS)) {
					const change = JSON.parse(line) as Change;
					if (change.object['kind'] === 'Status') throw new Error(`the history has a gap: ${line}`);
					version = change.object['metadata'].resourceVersion;
					this.#record(change);
				}
			} catch (error) {
				if (signal.aborted) return;
				if (!(error instanceof KubeError)) throw error;
			}
			await delay(RETRY_MS);
		}
	}

	#record({ type, object }: Change): void {
		const { name, uid, resourceVersion } = object['metadata'];
		const isGone = type === 'DELETED';
		if (isGone) this.#versions.delete(uid);
		else this.#versions.set(uid, resourceVersion);
		this.changes.push({
			revision: Number(resourceVersion),
			key: `${this.#keys}${name}`,
			object: isGone ? undefined : object,
		});
	}
}
