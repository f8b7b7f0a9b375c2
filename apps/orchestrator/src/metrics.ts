// All metrics of this app. Only the *-metrics.ts files know prom-client.
import { controllerMetrics } from './controller/controller-metrics.ts';
import { type LockObserver, lockMetrics } from './distributed-lock.ts';
import type { KubeObserver } from './kube/kube.ts';
import { kubeMetrics } from './kube/kube-metrics.ts';
import type { OrchestratorObserver } from './orchestrator.ts';
import { type ProcessMetrics, processMetrics } from './process/process-metrics.ts';

export type Metrics = ProcessMetrics & {
	readonly kube: KubeObserver;
	readonly lock: LockObserver;
	readonly controller: Pick<OrchestratorObserver, 'queue' | 'reconcile'>;
};

export function createMetrics(): Metrics {
	const { registry, ready } = processMetrics();
	return {
		registry,
		ready,
		kube: kubeMetrics(registry),
		lock: lockMetrics(registry),
		controller: controllerMetrics(registry),
	};
}
