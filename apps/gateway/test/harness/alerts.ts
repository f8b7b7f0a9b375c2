// The webhook of one alert about one deployment, and the names that the gateway derives from it.
import { createHash } from 'node:crypto';
import { LOCK_PREFIX } from '../../src/distributed-lock.ts';
import type { NewRemediationRequest } from '../../src/generated/remediation-request.ts';
import type { LeaseObject } from '../../src/kube/leases.ts';
import { fingerprintOfTarget } from '../../src/signal/fingerprint.ts';

const ALERT = 'KubeDeploymentReplicasMismatch';
const NAMESPACE = 'shop';

export type AlertStatus = 'firing' | 'resolved';

export type AlertTimes = { readonly startsAt?: string; readonly endsAt?: string };

export function webhook(deployment: string, status: AlertStatus = 'firing', times: AlertTimes = {}): string {
	const labels = { alertname: ALERT, severity: 'critical', namespace: NAMESPACE, deployment };
	const { startsAt = '2026-11-16T20:00:00.000Z' } = times;
	const { endsAt = status === 'resolved' ? '2026-11-16T21:00:00.000Z' : '0001-01-01T00:00:00Z' } = times;
	return JSON.stringify({
		version: '4',
		groupKey: `{}:{alertname="${ALERT}"}`,
		truncatedAlerts: 0,
		status,
		receiver: 'kubernaut',
		groupLabels: { alertname: ALERT },
		commonLabels: labels,
		commonAnnotations: {},
		externalURL: 'http://alertmanager.example.org:9093',
		alerts: [{ status, labels, annotations: {}, startsAt, endsAt, generatorURL: '', fingerprint: '0123456789abcdef' }],
	});
}

export function fingerprintOf(deployment: string): string {
	return fingerprintOfTarget(ALERT, { kind: 'Deployment', name: deployment, namespace: NAMESPACE });
}

export function leaseNameOf(deployment: string): string {
	return LOCK_PREFIX + createHash('sha256').update(fingerprintOf(deployment)).digest('hex').slice(0, 32);
}

/** For the admission gate: the creates of this deployment's lock. */
export function leaseOf(deployment: string): (lease: LeaseObject) => boolean {
	const name = leaseNameOf(deployment);
	return ({ metadata }) => metadata.name === name;
}

/** For the admission gate: the creates of this deployment's requests. */
export function requestOf(deployment: string): (request: NewRemediationRequest) => boolean {
	// The gate is probed with an object that has no target.
	return ({ spec }) => spec.targetResource?.name === deployment;
}
