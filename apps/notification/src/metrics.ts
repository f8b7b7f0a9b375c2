// All metrics of this app. Only the *-metrics.ts files know prom-client.
import { channelLockMetrics } from './act/coordination/channel-lock-metrics.ts';
import { deliveryMetrics } from './act/delivery-metrics.ts';
import type { DeliveryObserver } from './act/delivery-observer.ts';
import { controllerMetrics } from './controller/controller-metrics.ts';
import type { QueueObserver } from './controller/work-queue.ts';
import type { LockObserver } from './distributed-lock.ts';
import type { KubeObserver } from './kube/kube.ts';
import { kubeMetrics } from './kube/kube-metrics.ts';
import { type ProcessMetrics, processMetrics } from './process/process-metrics.ts';
import type { RoutingObserver } from './routing/routing.ts';
import { routingMetrics } from './routing/routing-metrics.ts';

export type Metrics = ProcessMetrics & {
	readonly kube: KubeObserver;
	readonly lock: LockObserver;
	readonly queue: QueueObserver;
	readonly deliveries: DeliveryObserver;
	readonly routing: RoutingObserver;
};

export function createMetrics(): Metrics {
	const ofProcess = processMetrics();
	const { registry } = ofProcess;
	return {
		...ofProcess,
		kube: kubeMetrics(registry),
		lock: channelLockMetrics(registry),
		queue: controllerMetrics(registry).queue,
		deliveries: deliveryMetrics(registry),
		routing: routingMetrics(registry),
	};
}
