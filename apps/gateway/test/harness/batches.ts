// Bodies with many alerts, as Alertmanager sends them for a large group.

export type BatchAlert = {
	readonly status: 'firing' | 'resolved';
	readonly labels: Readonly<Record<string, unknown>>;
	readonly annotations?: Readonly<Record<string, string>>;
	readonly startsAt?: string;
	readonly generatorURL?: string;
};

const STARTS_AT = '2026-11-16T20:00:00.000Z';

/** An alert may also be its JSON. */
export function batch(groupKey: string, alerts: readonly (BatchAlert | string)[]): string {
	const envelope = JSON.stringify({
		version: '4',
		groupKey,
		truncatedAlerts: 0,
		status: 'firing',
		receiver: 'kubernaut',
		groupLabels: {},
		commonLabels: {},
		commonAnnotations: {},
		externalURL: 'http://alertmanager.example.org:9093',
	});
	const texts = alerts.map((alert) => (typeof alert === 'string' ? alert : JSON.stringify(alert)));
	return `${envelope.slice(0, -1)},"alerts":[${texts.join(',')}]}`;
}

export function alertOf(deployment: string): BatchAlert {
	return {
		status: 'firing',
		labels: { alertname: 'KubeDeploymentReplicasMismatch', severity: 'critical', namespace: 'shop', deployment },
		startsAt: STARTS_AT,
	};
}

/** About 910 bytes of JSON: the labels and annotations that the rules of kube-prometheus give. */
export function usualAlert(deployment: string): BatchAlert {
	return {
		...alertOf(deployment),
		labels: {
			...alertOf(deployment).labels,
			container: 'kube-state-metrics',
			endpoint: 'http',
			instance: '10.244.1.17:8080',
			job: 'kube-state-metrics',
			prometheus: 'monitoring/k8s',
			service: 'kube-state-metrics',
		},
		annotations: {
			description: `Deployment shop/${deployment} has not matched the expected number of replicas for longer than 15 minutes. ${'It is looked at again every 30 seconds. '.repeat(4)}`,
			runbook_url: 'https://runbooks.prometheus-operator.dev/runbooks/kubernetes/kubedeploymentreplicasmismatch',
			summary: 'Deployment has not matched the expected number of replicas.',
		},
		generatorURL:
			'http://prometheus.example.org:9090/graph?g0.expr=kube_deployment_spec_replicas+%21%3D+kube_deployment_status_replicas',
	};
}

/** 48 bytes each: many alerts in few bytes. */
export function smallAlerts(count: number): string {
	const alerts = Array.from(
		{ length: count },
		(_, i) => `{"status":"firing","labels":{"alertname":"${i.toString(36)}"}}`,
	);
	return `{"alerts":[${alerts.join(',')}]}`;
}
