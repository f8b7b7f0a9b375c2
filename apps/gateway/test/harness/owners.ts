// Workloads and their pods on the API server, with owners as the controllers of Kubernetes write them. No controller runs:
// the test decides when a pod comes and goes.
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';

export type Owner = { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string };

const PATHS: Readonly<Record<string, string>> = {
	'v1 Pod': '/api/v1/namespaces/NS/pods',
	'apps/v1 ReplicaSet': '/apis/apps/v1/namespaces/NS/replicasets',
	'apps/v1 Deployment': '/apis/apps/v1/namespaces/NS/deployments',
	'apps/v1 StatefulSet': '/apis/apps/v1/namespaces/NS/statefulsets',
	'apps/v1 DaemonSet': '/apis/apps/v1/namespaces/NS/daemonsets',
	'batch/v1 Job': '/apis/batch/v1/namespaces/NS/jobs',
	'batch/v1 CronJob': '/apis/batch/v1/namespaces/NS/cronjobs',
	'argoproj.io/v1alpha1 Rollout': '/apis/argoproj.io/v1alpha1/namespaces/NS/rollouts',
};
const CONTAINERS = [{ name: 'main', image: 'registry.example.org/app:1' }];

/** A kind of another group that manages ReplicaSets. */
export const ROLLOUT_CRD: KubeObject = {
	apiVersion: 'apiextensions.k8s.io/v1',
	kind: 'CustomResourceDefinition',
	metadata: { name: 'rollouts.argoproj.io' },
	spec: {
		group: 'argoproj.io',
		scope: 'Namespaced',
		names: { kind: 'Rollout', plural: 'rollouts', singular: 'rollout' },
		versions: [
			{
				name: 'v1alpha1',
				served: true,
				storage: true,
				schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
			},
		],
	},
};

export class Owners {
	readonly #api: KubeApi;
	readonly namespace: string;

	constructor(api: KubeApi, namespace: string) {
		this.#api = api;
		this.namespace = namespace;
	}

	async create(apiVersion: string, kind: string, name: string, owner?: Owner): Promise<Owner> {
		const body = { apiVersion, kind, metadata: { name, ...ownedBy(owner) }, ...specOf(kind, name) };
		const { metadata } = await this.#api.call('POST', this.#path(apiVersion, kind), { body });
		return { apiVersion, kind, name, uid: metadata.uid as string };
	}

	pod(name: string, owner?: Owner, nodeName?: string): Promise<Owner> {
		const body = {
			apiVersion: 'v1',
			kind: 'Pod',
			metadata: { name, ...ownedBy(owner) },
			spec: { containers: CONTAINERS, ...(nodeName === undefined ? {} : { nodeName }) },
		};
		return this.#api
			.call('POST', this.#path('v1', 'Pod'), { body })
			.then(({ metadata }) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: metadata.uid as string }));
	}

	async remove({ apiVersion, kind, name }: Owner): Promise<void> {
		// Without waiting for what it owns, and for its own grace period.
		const body = { propagationPolicy: 'Background', gracePeriodSeconds: 0 };
		await this.#api.call('DELETE', `${this.#path(apiVersion, kind)}/${name}`, { body });
	}

	#path(apiVersion: string, kind: string): string {
		const path = PATHS[`${apiVersion} ${kind}`];
		if (path === undefined) throw new Error(`no path of ${apiVersion} ${kind}`);
		return path.replace('NS', this.namespace);
	}
}

function ownedBy(owner: Owner | undefined): object {
	return owner === undefined ? {} : { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] };
}

function specOf(kind: string, name: string): object {
	const labels = { app: name };
	const template = { metadata: { labels }, spec: { containers: CONTAINERS } };
	const selector = { matchLabels: labels };
	switch (kind) {
		case 'StatefulSet':
			return { spec: { selector, template, serviceName: name } };
		case 'Job':
			return { spec: { template: { spec: { containers: CONTAINERS, restartPolicy: 'Never' } } } };
		case 'CronJob':
			return {
				spec: {
					schedule: '0 0 1 1 *',
					jobTemplate: { spec: { template: { spec: { containers: CONTAINERS, restartPolicy: 'Never' } } } },
				},
			};
		case 'Rollout':
			return { spec: {} };
		default:
			return { spec: { selector, template } };
	}
}
