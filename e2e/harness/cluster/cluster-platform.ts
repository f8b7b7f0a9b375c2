// The platform as pods of a cluster, installed by `kubectl apply -k`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type KubeApi, type KubeObject } from '@kubernaut/control-plane';
import { openNodeShell } from '@kubernaut/kind/node-shell';
import { APPS, adminApi, applyObject, atTheEnd } from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import type { ClusterDescription } from '../environment.ts';
import { eventually } from '../eventually.ts';
import { arrivalsAt, type Recorded } from '../judging/arrivals.ts';
import { listAt, objectsPath, type Plural, runsPath } from '../objects.ts';
import type { PlatformOptions } from '../open-platform.ts';
import { type Platform, REPLICAS, type Receivers } from '../platform.ts';
import { bindSender, tokenOfSender } from '../sender-account.ts';
import { TIMEOUTS } from '../timeouts.ts';
import { clusterVersions } from './cluster-versions.ts';
import { PodReplicas } from './pod-replicas.ts';

export const NAMESPACE = 'kubernaut-system';
const EXECUTION_NAMESPACE = 'kubernaut-workflows';
const E2E_NAMESPACE = 'kubernaut-e2e';
const OBJECTS: readonly Plural[] = [
	'remediationrequests',
	'workflowexecutions',
	'notificationrequests',
	'remediationworkflows',
];
const run = promisify(execFile);

export async function openClusterPlatform(
	description: ClusterDescription,
	{ replicas = REPLICAS }: PlatformOptions,
	onOpened: (platform: Platform) => void,
): Promise<Platform> {
	const { gatewayUrl, node, images, kubeconfigPath, kubectl } = description;
	const api = adminApi();
	const place = { api, namespace: NAMESPACE, executionNamespace: EXECUTION_NAMESPACE };
	const shell =
		node === null ? undefined : openNodeShell(node.container, { ...process.env, DOCKER_HOST: node.dockerHost });
	if (shell !== undefined) atTheEnd(() => shell.close());
	const pods = new PodReplicas(api, NAMESPACE, shell);
	const receivers = receiversIn(api);
	/** As after the installation: no objects, no messages, the usual number of replicas. */
	async function makeNew(): Promise<void> {
		await endChains();
		for (const plural of OBJECTS) await api.call('DELETE', objectsPath(place, plural));
		await Promise.all(APPS.map((app) => pods.scale(app, replicas)));
		for (const path of [...OBJECTS.map((plural) => objectsPath(place, plural)), runsPath(place)])
			await eventually(
				() => listAt(place, path),
				(left) => expect(left.map(({ metadata }) => metadata.name)).toEqual([]),
			);
		await api.call('DELETE', `${serviceProxy('receivers', 8080)}/received`);
		await receivers.holdWebhook(false);
	}

	/** Earlier links first: an execution whose announced successor is not there keeps its finalizer and waits for it. */
	async function endChains(): Promise<void> {
		const path = objectsPath(place, 'workflowexecutions');
		const earlier = async () => (await listAt(place, path)).filter(({ status }) => status?.successor !== undefined);
		for (const { metadata } of await earlier()) await api.send('DELETE', `${path}/${metadata.name}`);
		await eventually(earlier, (left) => expect(left.map(({ metadata }) => metadata.name)).toEqual([]));
	}

	const { previous } = inject('e2e');
	const platform: Platform = {
		environment: 'cluster',
		...place,
		receivers,
		runsPods: true,
		freezes: shell !== undefined,
		signalUrl: () => gatewayUrl,
		senderToken: () => tokenOfSender(api, NAMESPACE),
		replicas: (app) => pods.replicas(app),
		scale: (app, count) => pods.scale(app, count),
		rollingRestart: (app) => pods.restart(app),
		...(shell !== undefined && {
			async restartApiServer() {
				await shell.run('pkill -9 -x kube-apiserver');
				await eventually(
					async () => (await api.send('GET', '/readyz')).status,
					(status) => expect(status).toBe(200),
					TIMEOUTS.apiServerBackMs,
				);
			},
		}),
		async putPipeline(name, { seconds = 0.5, fails = false }) {
			const script = `sleep ${seconds}; exit ${fails ? 1 : 0}`;
			await applyObject(api, pipelineOf(name, [step(images.busybox, ['sh', '-c', script])]));
		},
		async fireAlert(labels) {
			const path = `${serviceProxy('alertmanager', 9093)}/api/v2/alerts`;
			await api.call('POST', path, { body: [{ labels, annotations: {} }] });
		},
		kubectl: async (...args) => (await run(kubectl, ['--kubeconfig', kubeconfigPath, ...args])).stdout,
		...(previous !== null && { versions: clusterVersions(previous, description, pods) }),
		nodeStep: (program, env) => step(images.base, ['/usr/local/bin/node', '-e', program], env),
	};
	onOpened(platform);
	await makeNew();
	await bindSender(api, NAMESPACE);
	return platform;
}

export function pipelineOf(name: string, steps: readonly KubeObject[]): KubeObject {
	return {
		apiVersion: 'tekton.dev/v1',
		kind: 'Pipeline',
		metadata: { name, namespace: EXECUTION_NAMESPACE },
		spec: { tasks: [{ name: 'repair', taskSpec: { steps } }] },
	};
}

function step(image: string, command: readonly string[], env: Readonly<Record<string, string>> = {}): KubeObject {
	return {
		name: 'repair',
		image,
		command,
		env: Object.entries(env).map(([name, value]) => ({ name, value })),
		securityContext: {
			runAsNonRoot: true,
			runAsUser: 10001,
			allowPrivilegeEscalation: false,
			capabilities: { drop: ['ALL'] },
			seccompProfile: { type: 'RuntimeDefault' },
		},
	};
}

function serviceProxy(name: string, port: number): string {
	return `/api/v1/namespaces/${E2E_NAMESPACE}/services/${name}:${port}/proxy`;
}

function receiversIn(api: KubeApi): Receivers {
	const control = serviceProxy('receivers', 8080);
	return {
		received: async () => arrivalsAt((await api.call('GET', `${control}/received`)) as unknown as Recorded),
		async holdWebhook(hold) {
			await api.call('POST', `${control}/webhook/${hold ? 'hold' : 'answer'}`);
		},
	};
}
