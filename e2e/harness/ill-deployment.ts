// A Deployment that is ill until it is restarted: its pods read a setting when they start, the setting was wrong then and is
// right now. And the pipeline that restarts it, as a person would with `kubectl rollout restart`.
import type { KubeObject } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import { pipelineOf } from './cluster/cluster-platform.ts';
import { eventually } from './eventually.ts';
import type { Platform } from './platform.ts';
import { RUNNER } from './settings.ts';
import { NAMESPACE_OF_TARGETS as namespace } from './webhook.ts';

function deploymentPath(name: string): string {
	return `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
}

export async function makeIllDeployment({ api, executionNamespace }: Platform, name: string): Promise<void> {
	const { cluster } = inject('e2e');
	await api.send('DELETE', deploymentPath(name)); // of an earlier run
	await eventually(
		async () => (await api.send('GET', deploymentPath(name))).status,
		(status) => expect(status).toBe(404),
	);
	const setting = (mode: string) => ({
		apiVersion: 'v1',
		kind: 'ConfigMap',
		metadata: { name, namespace },
		data: { MODE: mode },
	});
	await applyObject(api, setting('wrong'));
	await applyObject(api, deployment(name, cluster?.images.busybox ?? ''));
	await eventually(
		() => api.call('GET', `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3D${name}`),
		({ items }) => expect((items as KubeObject[]).map(({ status }) => status.phase)).toEqual(['Running']),
	);
	await applyObject(api, setting('right')); // its pods do not see it before they start again
	const { status } = await api.call('GET', deploymentPath(name));
	expect(status.readyReplicas ?? 0).toBe(0);
	await allowRestarts(api, executionNamespace);
}

/** Where pods are real: its pod is ready. Nothing is repaired on simulated nodes. */
export async function untilWell({ api, runsPods }: Platform, name: string): Promise<void> {
	if (!runsPods) return;
	await eventually(
		() => api.call('GET', deploymentPath(name)),
		({ status }) => expect(status.readyReplicas).toBe(1),
	);
}

/** The pipeline of this name: one step that restarts the Deployment that it is about. */
export function restartPipeline({ nodeStep }: Platform, name: string): KubeObject {
	const program = `
		const { readFileSync } = require('node:fs');
		const account = '/var/run/secrets/kubernetes.io/serviceaccount/';
		const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
		const path = '/apis/apps/v1/namespaces/' + process.env.NAMESPACE + '/deployments/' + process.env.NAME;
		const request = require('node:https').request('https://kubernetes.default.svc' + path, {
			method: 'PATCH',
			ca: readFileSync(account + 'ca.crt'),
			headers: {
				authorization: 'Bearer ' + readFileSync(account + 'token', 'utf8'),
				'content-type': 'application/merge-patch+json',
			},
		}, (answer) => { answer.pipe(process.stdout); process.exitCode = answer.statusCode === 200 ? 0 : 1; });
		request.end(JSON.stringify({ spec: { template: { metadata: { annotations } } } }));
	`;
	const env = { NAMESPACE: '$(params.TARGET_NAMESPACE)', NAME: '$(params.TARGET_NAME)' };
	const params = ['TARGET_NAMESPACE', 'TARGET_NAME'];
	const pipeline = pipelineOf(name, [nodeStep?.(program, env) ?? {}]);
	pipeline['spec'].params = params.map((param) => ({ name: param }));
	pipeline['spec'].tasks[0].params = params.map((param) => ({ name: param, value: `$(params.${param})` }));
	pipeline['spec'].tasks[0].taskSpec.params = params.map((param) => ({ name: param }));
	return pipeline;
}

function deployment(name: string, image: string): KubeObject {
	const labels = { app: name };
	const container = {
		name: 'app',
		image,
		command: ['sh', '-c', 'sleep 100000'],
		envFrom: [{ configMapRef: { name } }],
		readinessProbe: { exec: { command: ['sh', '-c', '[ "$MODE" = right ]'] }, periodSeconds: 1 },
		securityContext: {
			runAsNonRoot: true,
			runAsUser: 10001,
			allowPrivilegeEscalation: false,
			capabilities: { drop: ['ALL'] },
			seccompProfile: { type: 'RuntimeDefault' },
		},
	};
	return {
		apiVersion: 'apps/v1',
		kind: 'Deployment',
		metadata: { name, namespace },
		spec: {
			replicas: 1,
			selector: { matchLabels: labels },
			template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers: [container] } },
		},
	};
}

async function allowRestarts(api: Platform['api'], executionNamespace: string): Promise<void> {
	const rbac = 'rbac.authorization.k8s.io';
	const metadata = { name: 'restarts', namespace };
	const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] }];
	await applyObject(api, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata, rules });
	await applyObject(api, {
		apiVersion: `${rbac}/v1`,
		kind: 'RoleBinding',
		metadata,
		roleRef: { apiGroup: rbac, kind: 'Role', name: 'restarts' },
		subjects: [{ kind: 'ServiceAccount', name: RUNNER, namespace: executionNamespace }],
	});
}
