// All metrics of this app. Only the *-metrics.ts files know prom-client.
import { executorMetrics, lockMetrics } from './act/executor-metrics.ts';
import type { ExecutorObserver } from './act/executor-observer.ts';
import { controllerMetrics } from './controller/controller-metrics.ts';
import type { QueueObserver } from './controller/work-queue.ts';
import type { LockObserver } from './distributed-lock.ts';
import type { KubeObserver } from './kube/kube.ts';
import { kubeMetrics } from './kube/kube-metrics.ts';
import { type ProcessMetrics, processMetrics } from './process/process-metrics.ts';

export type Metrics = ProcessMetrics & {
	readonly kube: KubeObserver;
	readonly lock: LockObserver;
	readonly queue: QueueObserver;
	readonly executor: ExecutorObserver;
};

export function createMetrics(): Metrics {
	const ofProcess = processMetrics();
	const { registry } = ofProcess;
	return {
		...ofProcess,
		kube: kubeMetrics(registry),
		lock: lockMetrics(registry),
		queue: controllerMetrics(registry).queue,
		executor: executorMetrics(registry),
	};
}
