// All alerts of the corpus.
import { APPLICATION_ALERTS, DATABASE_ALERTS, PROBE_ALERTS } from './application-rules.ts';
import { MANAGER_ALERTS, STATE_ALERTS } from './community-rules.ts';
import { CONTROL_PLANE_ALERTS, NODE_ALERTS, RESOURCE_ALERTS, WORKLOAD_ALERTS } from './default-rules.ts';
import { DISTRIBUTION_ALERTS } from './distributions.ts';
import { FURTHER_ALERTS } from './further-rules.ts';
import { HOLD_OUT_ALERTS } from './hold-out.ts';
import { LATER_ALERTS } from './later-rules.ts';
import { HOST_ALERTS, MONITORING_ALERTS } from './monitoring-rules.ts';
import { PLATFORM_ALERTS, STORAGE_AND_QUEUE_ALERTS } from './operators.ts';
import type { CorpusAlert } from './scrapes.ts';
import { AGENT_ALERTS } from './scrapes-by-agents.ts';

export const ALERTS_BY_SOURCE: Readonly<Record<string, readonly CorpusAlert[]>> = {
	'default rules: workloads': WORKLOAD_ALERTS,
	'default rules: quotas and volumes': RESOURCE_ALERTS,
	'default rules: nodes': NODE_ALERTS,
	'default rules: control plane': CONTROL_PLANE_ALERTS,
	'default rules: monitoring': MONITORING_ALERTS,
	'node-exporter and other exporters of hosts': HOST_ALERTS,
	'community rules: kube-state-metrics': STATE_ALERTS,
	'community rules: controllers and operators': MANAGER_ALERTS,
	'databases and queues': DATABASE_ALERTS,
	probes: PROBE_ALERTS,
	applications: APPLICATION_ALERTS,
	'other ways to scrape': FURTHER_ALERTS,
	'other agents and static targets': AGENT_ALERTS,
	'storage and queues': STORAGE_AND_QUEUE_ALERTS,
	'platforms, meshes and machines': PLATFORM_ALERTS,
	'added later': LATER_ALERTS,
	distributions: DISTRIBUTION_ALERTS,
	'a hold-out': HOLD_OUT_ALERTS,
};

export const ALERTS: readonly CorpusAlert[] = Object.values(ALERTS_BY_SOURCE).flat();
