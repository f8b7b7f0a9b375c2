// Signals about one deployment to several gateways, from callers that send the next when the last was answered.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '@kubernaut/control-plane';
import { type AppProcess, applyObject, serviceAccountToken } from '@kubernaut/testkit';

export const ALERT = 'KubeDeploymentReplicasMismatch';
const NAMESPACE = 'shop';
const RETRY_MS = 1000;

export type Hammering = {
	/** Status → answers. */
	readonly statuses: Readonly<Record<number, number>>;
	stop(): Promise<void>;
};

export function hammer(
	gateways: readonly AppProcess[],
	{ token, deployment, callersPerReplica }: { token: string; deployment: string; callersPerReplica: number },
): Hammering {
	const statuses: Record<number, number> = {};
	const stopping = new AbortController();
	const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
	const body = webhook(deployment);
	const call = async ({ apiUrl }: AppProcess) => {
		while (!stopping.signal.aborted) {
			const answer = await fetch(`${apiUrl}/api/v1/signals/prometheus`, { method: 'POST', headers, body });
			await answer.text();
			statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
			if (answer.status > 202) await delay(RETRY_MS);
		}
	};
	const callers = gateways.flatMap((gateway) => Array.from({ length: callersPerReplica }, () => call(gateway)));
	return {
		statuses,
		async stop() {
			stopping.abort();
			await Promise.all(callers);
		},
	};
}

/** Of a ServiceAccount that may send signals: it may create RemediationRequests. */
export async function senderToken(api: KubeApi, namespace: string): Promise<string> {
	const rbac = 'rbac.authorization.k8s.io';
	const rules = [{ apiGroups: ['kubernaut.ai'], resources: ['remediationrequests'], verbs: ['create'] }];
	const metadata = { name: 'sender', namespace };
	await applyObject(api, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
	await applyObject(api, {
		apiVersion: `${rbac}/v1`,
		kind: 'RoleBinding',
		metadata,
		roleRef: { apiGroup: rbac, kind: 'Role', name: 'sender' },
		subjects: [{ kind: 'ServiceAccount', name: 'sender', namespace }],
	});
	return serviceAccountToken(api, namespace, 'sender');
}

function webhook(deployment: string): string {
	const labels = { alertname: ALERT, severity: 'critical', namespace: NAMESPACE, deployment };
	return JSON.stringify({
		version: '4',
		groupKey: `{}:{alertname="${ALERT}"}`,
		truncatedAlerts: 0,
		status: 'firing',
		receiver: 'kubernaut',
		groupLabels: { alertname: ALERT },
		commonLabels: labels,
		commonAnnotations: {},
		externalURL: 'http://alertmanager.example.org:9093',
		alerts: [{ status: 'firing', labels, annotations: {}, startsAt: '2026-11-16T20:00:00.000Z' }],
	});
}
