// One alert of the bench as the three contestants need it: the webhook's body, and the RemediationRequest that stands
// for it, so that all store the same.
import { createHash } from 'node:crypto';

export type BenchAlert = {
	readonly status: 'firing';
	readonly labels: Readonly<Record<'alertname' | 'severity' | 'namespace' | 'deployment', string>>;
	readonly annotations: Readonly<Record<string, string>>;
	readonly startsAt: string;
};

/** Of every alert of a run: they began together. */
export const ALERT_TIMES = { startsAt: '2026-11-16T20:00:00.000Z' } as const;
export const ALERT_NAME = 'KubeDeploymentReplicasMismatch';
const TARGET_NAMESPACE = 'shop';
const RECEIVER = 'kubernaut';

/** Alerts of one name about the same deployment are the same signal. */
export function alertAbout(deployment: string, alertname = ALERT_NAME): BenchAlert {
	return {
		status: 'firing',
		labels: { alertname, severity: 'critical', namespace: TARGET_NAMESPACE, deployment },
		annotations: {
			summary: 'Deployment has not matched the expected number of replicas',
			runbook_url: 'https://runbooks.example.org/runbooks/kubernetes/kubedeploymentreplicasmismatch',
		},
		...ALERT_TIMES,
	};
}

/** What Alertmanager sends, with one alert. */
export function webhookBody(alert: Omit<BenchAlert, 'labels'> & { labels: Readonly<Record<string, string>> }): string {
	return JSON.stringify({
		version: '4',
		groupKey: `{}:{alertname="${alert.labels.alertname}"}`,
		truncatedAlerts: 0,
		status: 'firing',
		receiver: RECEIVER,
		groupLabels: { alertname: alert.labels.alertname },
		commonLabels: alert.labels,
		commonAnnotations: alert.annotations,
		externalURL: 'http://alertmanager.example.org:9093',
		alerts: [alert],
	});
}

export function fingerprintOf({ labels }: BenchAlert): string {
	return sha256(`${labels.alertname}:${labels.namespace}:Deployment:${labels.deployment}`);
}

export function requestName(fingerprint: string, sixteenHexDigits: string): string {
	return `rr-${fingerprint.slice(0, 12)}-${sixteenHexDigits}`;
}

export function firstRequestName(fingerprint: string): string {
	return requestName(fingerprint, sha256(fingerprint).slice(0, 16));
}

export function requestFor(alert: BenchAlert, name: string) {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationRequest',
		metadata: { name },
		spec: {
			signalFingerprint: fingerprintOf(alert),
			signalName: alert.labels.alertname,
			severity: alert.labels.severity,
			signalType: 'alert',
			signalSource: RECEIVER,
			targetResource: { kind: 'Deployment', name: alert.labels.deployment, namespace: alert.labels.namespace },
			firingTime: alert.startsAt,
			receivedTime: new Date().toISOString(),
			signalLabels: alert.labels,
			signalAnnotations: alert.annotations,
			chain: 0,
		},
	};
}

export function requestsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/remediationrequests`;
}

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}
