// A bad roll-out: a Deployment whose new pods crash, and the alerts about them. Nothing of it runs: the pods are held back
// from every node, so that a cluster that was named on purpose starts none of them.
import { ALERT_TIMES, webhookBody } from '@kubernaut/bench/signal-request';
import type { StormSubject } from '@kubernaut/bench/storm';
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit/apply';

/** Of the default rules of kube-prometheus. */
export const CRASH_ALERT = 'KubePodCrashLooping';
export const POD_COUNT = 20;
/** Replaced before their alert comes. */
export const GONE_COUNT = 5;

const DEPLOYMENT = 'storefront';
const HASH = '7d4b9c55f6';
const LETTERS = 'bcdfghjklmnpqrstvwxz';
const HELD_BACK = [{ name: 'kubernaut.ai/demo' }];

/** The alerts are about the pods in turn. */
export function rollOutIn(namespace: string): StormSubject {
	return {
		deployment: DEPLOYMENT,
		namespace,
		bodyOf: (i) =>
			webhookBody({
				...ALERT_TIMES,
				status: 'firing',
				labels: {
					alertname: CRASH_ALERT,
					severity: 'warning',
					namespace,
					pod: podName(i % POD_COUNT),
					container: 'main',
					reason: 'CrashLoopBackOff',
				},
				annotations: { summary: 'Pod is crash looping.' },
			}),
	};
}

export async function rollOut(api: KubeApi, namespace: string): Promise<void> {
	await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
	await applyObject(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
	const labels = { app: DEPLOYMENT };
	const spec = {
		containers: [{ name: 'main', image: 'registry.example.org/storefront:2' }],
		schedulingGates: HELD_BACK,
	};
	const workload = { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };
	const create = (path: string, name: string, body: object, owner?: KubeObject) =>
		api.call('POST', path, { body: { metadata: { name, labels, ...ownedBy(owner) }, spec: body } });
	const apps = `/apis/apps/v1/namespaces/${namespace}`;
	const deployment = await create(`${apps}/deployments`, DEPLOYMENT, workload);
	const replicaSet = await create(`${apps}/replicasets`, `${DEPLOYMENT}-${HASH}`, workload, deployment);
	const pods = `/api/v1/namespaces/${namespace}/pods`;
	await Promise.all(
		Array.from({ length: POD_COUNT - GONE_COUNT }, (_, i) => create(pods, podName(i), spec, replicaSet)),
	);
}

/** As the controllers name them. */
export function podName(i: number): string {
	return `${DEPLOYMENT}-${HASH}-x2x8${LETTERS[i]}`;
}

function ownedBy(owner: KubeObject | undefined): object {
	if (owner === undefined) return {};
	const { name, uid } = owner['metadata'];
	return { ownerReferences: [{ apiVersion: 'apps/v1', kind: owner.kind, name, uid, controller: true }] };
}
