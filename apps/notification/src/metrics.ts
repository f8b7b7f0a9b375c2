// All metrics of this app. Only the *-metrics.ts files know prom-client.
import type { KubeObserver } from './kube/kube.ts';
import { kubeMetrics } from './kube/kube-metrics.ts';
import { type ProcessMetrics, processMetrics } from './process/process-metrics.ts';

export type Metrics = ProcessMetrics & { readonly kube: KubeObserver };

export function createMetrics(): Metrics {
	const ofProcess = processMetrics();
	return { ...ofProcess, kube: kubeMetrics(ofProcess.registry) };
}
