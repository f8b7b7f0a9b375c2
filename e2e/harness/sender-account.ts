// A ServiceAccount that may send signals: it may create RemediationRequests, and nothing else.
import type { KubeApi } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit/apply';
import { serviceAccountToken } from '@kubernaut/testkit/service-account';

const SENDER = 'e2e-sender';

export function tokenOfSender(api: KubeApi, namespace: string): Promise<string> {
	return serviceAccountToken(api, namespace, SENDER);
}

export async function bindSender(api: KubeApi, namespace: string): Promise<void> {
	const rbac = 'rbac.authorization.k8s.io';
	const metadata = { name: SENDER, namespace };
	const rules = [{ apiGroups: ['kubernaut.ai'], resources: ['remediationrequests'], verbs: ['create'] }];
	await applyObject(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
	await applyObject(api, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
	await applyObject(api, {
		apiVersion: `${rbac}/v1`,
		kind: 'RoleBinding',
		metadata,
		roleRef: { apiGroup: rbac, kind: 'Role', name: SENDER },
		subjects: [{ kind: 'ServiceAccount', name: SENDER, namespace }],
	});
}
