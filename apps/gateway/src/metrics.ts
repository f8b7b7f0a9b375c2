// All metrics of this app. Only the *-metrics.ts files know prom-client.
import { type LockObserver, lockMetrics } from './distributed-lock.ts';
import { httpMetrics } from './http/http-metrics.ts';
import type { HttpObserver } from './http/http-observer.ts';
import { retryMetrics, workMetrics } from './ingest/ingest-metrics.ts';
import type { RetryObserver } from './ingest/ingest-signal.ts';
import { lookUpMetrics } from './ingest/targets/look-up-metrics.ts';
import type { RightsObserver } from './ingest/targets/look-up-rights.ts';
import type { LookUpObserver } from './ingest/targets/target-look-up.ts';
import type { WorkObserver } from './ingest/work-places.ts';
import type { KubeObserver } from './kube/kube.ts';
import { kubeMetrics } from './kube/kube-metrics.ts';
import { type ProcessMetrics, processMetrics } from './process/process-metrics.ts';

export type Metrics = ProcessMetrics & {
	readonly kube: KubeObserver;
	readonly lock: LockObserver;
	readonly retry: RetryObserver;
	readonly work: WorkObserver;
	readonly lookUp: LookUpObserver & RightsObserver;
	readonly http: HttpObserver;
};

export function createMetrics(): Metrics {
	const ofProcess = processMetrics();
	const { registry } = ofProcess;
	return {
		...ofProcess,
		kube: kubeMetrics(registry),
		lock: lockMetrics(registry),
		retry: retryMetrics(registry),
		work: workMetrics(registry),
		lookUp: lookUpMetrics(registry),
		http: httpMetrics(registry),
	};
}
