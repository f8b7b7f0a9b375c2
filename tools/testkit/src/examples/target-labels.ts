// The usual labels of an alert from which the gateway reads its target and its pod, with the field of a template that holds
// what it read. Orchestrator and the CRD of RemediationWorkflow each have their own list, and test it with this table.

export const TARGET_LABELS: Readonly<Record<string, 'target.name' | 'target.namespace' | 'subject.name'>> = {
	namespace: 'target.namespace',
	deployment: 'target.name',
	statefulset: 'target.name',
	daemonset: 'target.name',
	cronjob: 'target.name',
	job_name: 'target.name',
	horizontalpodautoscaler: 'target.name',
	poddisruptionbudget: 'target.name',
	persistentvolumeclaim: 'target.name',
	persistentvolume: 'target.name',
	replicaset: 'target.name',
	pod: 'subject.name', // the target is the workload above it
	node: 'target.name',
};
