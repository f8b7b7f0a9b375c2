// All metrics of this app. Only the *-metrics.ts files know prom-client.
import { decisionMetrics, pauseMetrics } from './act/decision-metrics.ts';
import type { DecisionObserver } from './act/reconciler.ts';
import type { WorkflowObserver } from './act/workflow/workflow-counts.ts';
import { workflowMetrics } from './act/workflow/workflow-metrics.ts';
import { controllerMetrics } from './controller/controller-metrics.ts';
import type { QueueObserver } from './controller/work-queue.ts';
import { type LockObserver, lockMetrics } from './distributed-lock.ts';
import type { KubeObserver } from './kube/kube.ts';
import { kubeMetrics } from './kube/kube-metrics.ts';
import type { PauseChange } from './objects/known-pause.ts';
import { type ProcessMetrics, processMetrics } from './process/process-metrics.ts';

export type Metrics = ProcessMetrics & {
	readonly kube: KubeObserver;
	readonly lock: LockObserver;
	readonly queue: QueueObserver;
	readonly decisions: DecisionObserver;
	readonly workflows: WorkflowObserver;
	pauseChanged(change: PauseChange): void;
};

export function createMetrics(): Metrics {
	const ofProcess = processMetrics();
	const { registry } = ofProcess;
	const { queue, contended } = controllerMetrics(registry);
	return {
		...ofProcess,
		kube: kubeMetrics(registry),
		lock: lockMetrics(registry),
		queue,
		decisions: decisionMetrics(registry, contended),
		workflows: workflowMetrics(registry),
		pauseChanged: pauseMetrics(registry),
	};
}
