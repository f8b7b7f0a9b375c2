// From the creation of a RemediationRequest to the moment at which its WorkflowExecution is seen: the same clock for all
// contestants, outside of them.
import type { KubeApi } from '@kubernaut/control-plane';
import type { Identity } from '../gateway/identity.ts';
import { alertAbout, fingerprintOf, firstRequestName, requestFor, requestsPath } from '../signal-request.ts';
import { type SeenObject, watchAdded } from './object-watch.ts';

export type Stopwatch = {
	/** In ms. */
	remediate(deployment: string): Promise<number>;
	close(): Promise<void>;
};

const PATIENCE_MS = 30_000;

export async function openStopwatch(api: KubeApi, identity: Identity, namespace: string): Promise<Stopwatch> {
	const seen = new Map<string, (at: number) => void>();
	const watch = await watchAdded(identity, executionsPath(namespace), (execution) => {
		const { name } = (execution['spec'] as { remediationRequestRef: { name: string } }).remediationRequestRef;
		seen.get(name)?.(performance.now());
	});
	return {
		async remediate(deployment) {
			const alert = alertAbout(deployment);
			const name = firstRequestName(fingerprintOf(alert));
			const appeared = new Promise<number>((resolve, reject) => {
				const timer = setTimeout(() => reject(new Error(`${name} got no execution`)), PATIENCE_MS);
				seen.set(name, (at) => {
					clearTimeout(timer);
					resolve(at);
				});
			});
			const startedAt = performance.now();
			await api.call('POST', requestsPath(namespace), { body: requestFor(alert, name) });
			const ms = (await appeared) - startedAt;
			seen.delete(name);
			return ms;
		},
		close: () => watch.stop(),
	};
}

export function executionsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/workflowexecutions`;
}

export type { SeenObject };
