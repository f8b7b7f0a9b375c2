// Settings of the apps in both environments, where they differ from the defaults: so that a scenario takes seconds, not
// minutes. What is guaranteed does not depend on them.
import type { AppName } from '@kubernaut/testkit';

export const SETTINGS: Readonly<Record<AppName, Readonly<Record<string, string>>>> = {
	gateway: {},
	orchestrator: { ROUTING_FAILURE_BACKOFF: '3s' },
	'workflow-executor': {},
	notification: { USE_DISTRIBUTED_LOCKING: 'true', PACE_SLACK: '200ms' },
};
export const PACE_SLACK_MS = 200;
export const ROUTING = 'rules:\n  - channels: [slack, email, webhook]\n';
/** ServiceAccount of the runs, of a workflow that names none. */
export const RUNNER = 'kubernaut-workflow';
/** Of each pod, read through the API server: the NetworkPolicies of e2e/cluster let it. */
export const PORTS = { health: 8081, metrics: 9090 } as const;
