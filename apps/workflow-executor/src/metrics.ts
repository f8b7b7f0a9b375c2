// All metrics of this app. Only the *-metrics.ts files know prom-client.
import type { KubeObserver } from './kube/kube.ts';
import { kubeMetrics } from './kube/kube-metrics.ts';
import { type ProcessMetrics, processMetrics } from './process/process-metrics.ts';

export type Metrics = ProcessMetrics & { readonly kube: KubeObserver };

export function createMetrics(): Metrics {
	const { registry, ready } = processMetrics();
	return { registry, ready, kube: kubeMetrics(registry) };
}
