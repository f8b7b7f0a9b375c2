// Every version of the RemediationRequests of a namespace, as a watch tells them: a state that a request was in only for a
// moment is seen here, however rarely a busy machine lets a test look.
import type { KubeObject } from '@kubernaut/control-plane';
import { createKubeClient, type KubeClient, loadKubeConfig } from '../../src/kube.ts';

export class RequestHistory {
	readonly #versions = new Map<string, KubeObject[]>();
	readonly #stopping = new AbortController();
	readonly #kube: KubeClient;

	/** From now on. When the watch ends, so does the history: what it has is true, and more is not promised. */
	constructor(namespace: string, kubeconfigPath: string) {
		this.#kube = createKubeClient(loadKubeConfig(kubeconfigPath), 10_000, { called() {} });
		void this.#record(namespace).catch(() => {});
	}

	/** Oldest first; those that were read before are over. */
	since(name: string, resourceVersion: bigint): KubeObject[] {
		const versions = this.#versions.get(name) ?? [];
		return versions.filter(({ metadata }) => BigInt(metadata.resourceVersion) >= resourceVersion);
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#kube.close();
	}

	async #record(namespace: string): Promise<void> {
		const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/remediationrequests?watch=1`;
		const about = { verb: 'watch', resource: 'remediationrequests', namespace } as const;
		for await (const line of this.#kube.lines({ ...about, path }, this.#stopping.signal, 600_000)) {
			const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
			if (type !== 'ADDED' && type !== 'MODIFIED') continue;
			const versions = this.#versions.get(object['metadata'].name) ?? [];
			this.#versions.set(object['metadata'].name, [...versions, object]);
		}
	}
}
