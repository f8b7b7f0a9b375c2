// A bad roll-out of one Deployment, from the alerts to the run: what the default rules and the kubelet send about it meets on
// one target, and is repaired once. Real gateways, orchestrator, executors and Tekton.
import type { KubeObject } from '@kubernaut/control-plane';
import { type AppProcess, appKubeconfig, atTheEnd, createNamespace, startApp } from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { Orchestrated } from './harness/orchestrated.ts';
import { openTektonWorld, type TektonWorld } from './harness/tekton-world.ts';
import { START_LIMIT_MS } from './harness/world.ts';

const PODS = ['x2x8p', 'b4c5d', 'k7l9m'].map((suffix) => `cart-5f6c8d9b7x-${suffix}`);
let cluster: TektonWorld;
let shop: string;
const gateways: AppProcess[] = [];

beforeAll(async () => {
	cluster = await openTektonWorld('roll-out', 2);
	const { api, namespace } = cluster.world;
	shop = await createNamespace(api, 'shop');
	const requests = new Orchestrated(cluster.world);
	const spec = {
		match: { targetKinds: ['Deployment'] },
		pipelineRef: { name: 'restart' },
		parameters: { NAMESPACE: '{{ target.namespace }}', DEPLOYMENT: '{{ target.name }}' },
	};
	await api.call('POST', `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/remediationworkflows`, {
		body: { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'RemediationWorkflow', metadata: { name: 'roll-back' }, spec },
	});
	await requests.start('orchestrator-0');
	const kubeconfig = await appKubeconfig(api, 'gateway', namespace, inject('controlPlane').kubeconfigPath);
	for (const podName of ['gateway-0', 'gateway-1', 'gateway-2']) {
		const gateway = await startApp('gateway', { kubeconfig, namespace, podName, env: { AUTH: 'off' } });
		atTheEnd(() => gateway.stop());
		gateways.push(gateway);
	}
	await Promise.all(gateways.map((gateway) => gateway.waitUntilReady(START_LIMIT_MS)));
	await rollOut();
});

/** The Deployment, its new ReplicaSet and the pods of that, as the controllers make them. */
async function rollOut(): Promise<void> {
	const { api } = cluster.world;
	const labels = { app: 'cart' };
	const template = { metadata: { labels }, spec: { containers: [{ name: 'cart', image: 'played' }] } };
	const selector = { matchLabels: labels };
	const create = (path: string, name: string, body: object, owner?: KubeObject) =>
		api.call('POST', path.replace('NS', shop), {
			body: {
				metadata: { name, labels, ...(owner === undefined ? {} : { ownerReferences: [referenceTo(owner)] }) },
				...body,
			},
		});
	await eventually(
		() => api.send('GET', `/api/v1/namespaces/${shop}/serviceaccounts/default`),
		({ status }) => expect(status).toBe(200),
	);
	const deployment = await create('/apis/apps/v1/namespaces/NS/deployments', 'cart', { spec: { selector, template } });
	const replicaSet = await create(
		'/apis/apps/v1/namespaces/NS/replicasets',
		'cart-5f6c8d9b7x',
		{ spec: { selector, template } },
		{ ...deployment, apiVersion: 'apps/v1', kind: 'Deployment' },
	);
	for (const pod of PODS)
		await create(
			'/api/v1/namespaces/NS/pods',
			pod,
			{ spec: template.spec },
			{ ...replicaSet, apiVersion: 'apps/v1', kind: 'ReplicaSet' },
		);
}
function referenceTo({ apiVersion, kind, metadata }: KubeObject): object {
	return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

/** With kube-state-metrics' own labels, as kube-prometheus-stack scrapes it. */
function alert(alertname: string, labels: Record<string, string>): { path: string; body: object } {
	const exporter = { job: 'kube-state-metrics', service: 'kube-state-metrics', container: 'kube-state-metrics' };
	const all = { alertname, severity: 'warning', namespace: shop, ...exporter, ...labels };
	const startsAt = new Date().toISOString();
	return {
		path: '/api/v1/signals/prometheus',
		body: { version: '4', receiver: 'kubernaut', alerts: [{ status: 'firing', labels: all, startsAt }] },
	};
}
function event(pod: string): { path: string; body: object } {
	return {
		path: '/api/v1/signals/kubernetes-event',
		body: {
			apiVersion: 'v1',
			kind: 'Event',
			metadata: { name: `${pod}.1`, namespace: shop },
			type: 'Warning',
			reason: 'BackOff',
			message: 'Back-off restarting failed container',
			involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: shop, name: pod },
			source: { component: 'kubelet' },
			lastTimestamp: new Date().toISOString(),
		},
	};
}

describe('on real Tekton, a bad roll-out', () => {
	it('17 signals make at most 9 requests on 4 targets, and 1 run', async () => {
		const { world } = cluster;
		const signals = [
			...PODS.flatMap((pod) => [
				alert('KubePodCrashLooping', { pod, container: 'cart', reason: 'CrashLoopBackOff' }),
				alert('KubePodNotReady', { pod }),
				alert('KubeContainerWaiting', { pod, container: 'cart', reason: 'CrashLoopBackOff' }),
				event(pod),
			]),
			alert('KubeDeploymentReplicasMismatch', { deployment: 'cart' }),
			alert('KubeDeploymentRolloutStuck', { deployment: 'cart' }),
			alert('KubeHpaMaxedOut', { horizontalpodautoscaler: 'cart' }),
			alert('KubePdbNotEnoughHealthyPods', { poddisruptionbudget: 'cart' }),
			alert('TargetDown', { job: 'cart', service: 'cart', container: '' }),
		];
		expect(signals).toHaveLength(17);
		// As senders do it: what a gateway could not take in time is sent again.
		await Promise.all(
			signals.map(({ path, body }, i) => {
				const { apiUrl } = gateways[i % gateways.length]!;
				const headers = { 'content-type': 'application/json' };
				return eventually(
					() => fetch(`${apiUrl}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
					({ status }) => expect(status === 201 || status === 202, `${path}: ${status}`).toBe(true),
				);
			}),
		);

		const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${world.namespace}/remediationrequests`;
		const stored = async () => (await world.api.call('GET', path))['items'] as KubeObject[];
		const onDeployment = ({ spec }: KubeObject) => spec.targetResource.kind === 'Deployment';
		const requests = await eventually(stored, (all) => {
			const ours = all.filter(onDeployment);
			expect(ours.map(({ status }) => status.overallPhase)).toEqual(
				ours.map(() => expect.stringMatching(/^Completed|Skipped$/)),
			);
		});
		const targets = new Set(requests.map(({ spec }) => `${spec.targetResource.kind}/${spec.targetResource.name}`));
		console.log(`${signals.length} signals, ${requests.length} requests on ${[...targets].join(', ')}`);
		expect(requests.length).toBeLessThanOrEqual(9);
		expect(targets).toEqual(
			new Set(['Deployment/cart', 'HorizontalPodAutoscaler/cart', 'PodDisruptionBudget/cart', 'Service/cart']),
		);
		expect(requests.filter(onDeployment)).toHaveLength(6);
		const executions = await world.executions();
		expect(executions.map(({ spec }) => [spec.targetResource, spec.parameters])).toEqual([
			[`${shop}/Deployment/cart`, { NAMESPACE: shop, DEPLOYMENT: 'cart' }],
		]);
		expect(await cluster.startsOf(executions[0]!)).toBe(1);
		expect(await cluster.brokenPromises()).toEqual([]);
	});
});
