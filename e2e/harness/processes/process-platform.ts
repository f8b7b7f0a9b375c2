// The platform as processes on this machine, beside a control plane with Tekton and a simulated node.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { partSwitch, podAnnotations, startPart } from '@kubernaut/control-plane';
import { startReceiverSet } from '@kubernaut/receivers';
import {
	type AppName,
	adminApi,
	appKubeconfig,
	applyObject,
	atTheEnd,
	createNamespace,
	executionNamespaceOf,
	scratchDirectory,
} from '@kubernaut/testkit';
import { inject } from 'vitest';
import { eventually } from '../eventually.ts';
import type { PlatformOptions } from '../open-platform.ts';
import { type Platform, REPLICAS } from '../platform.ts';
import { bindSender, tokenOfSender } from '../sender-account.ts';
import { ROUTING, RUNNER, SETTINGS } from '../settings.ts';
import { TIMEOUTS } from '../timeouts.ts';
import { receiversOf } from './process-receivers.ts';
import { ProcessReplicas } from './process-replicas.ts';

export async function openProcessPlatform(
	{ apps, replicas = REPLICAS }: PlatformOptions,
	onOpened: (platform: Platform) => void,
): Promise<Platform> {
	const { kubeconfigPath, directory } = inject('controlPlane');
	const api = adminApi();
	const namespace = await createNamespace(api, 'e2e');
	const executionNamespace = executionNamespaceOf(namespace);
	const scratch = await scratchDirectory();
	const receiverSet = await startReceiverSet(scratch);
	atTheEnd(() => receiverSet.close());
	const routing = join(scratch, 'routing.yaml');
	writeFileSync(routing, ROUTING);
	const channels = { ...receiverSet.environment, ROUTING_FILE: routing };

	const sets = new Map<AppName, ProcessReplicas>();
	atTheEnd(() => Promise.all([...sets.values()].map((set) => set.stop())));
	const setOf = (app: AppName) => {
		const set = sets.get(app);
		if (set === undefined) throw new Error(`the scenario did not ask for ${app}`);
		return set;
	};

	async function prepareRuns(): Promise<void> {
		await applyObject(api, {
			apiVersion: 'v1',
			kind: 'ServiceAccount',
			metadata: { name: RUNNER, namespace: executionNamespace },
		});
		// No pod is admitted before the controller of ServiceAccounts has seen the namespace.
		await eventually(
			() => api.call('GET', `/api/v1/namespaces/${executionNamespace}/serviceaccounts/default`),
			() => {},
		);
	}

	/** All at once, each app one replica after the other, as Deployments do it. */
	const updateAll = async (bundleOf: (app: AppName) => string | undefined) => {
		await Promise.all([...sets].map(([app, set]) => set.update(bundleOf(app))));
	};
	const { previous } = inject('e2e');

	let alertmanager: Promise<{ url: string }> | undefined;
	let next = 0;
	const platform: Platform = {
		environment: 'processes',
		api,
		namespace,
		executionNamespace,
		receivers: receiversOf(receiverSet),
		runsPods: false,
		freezes: true,
		signalUrl() {
			const urls = setOf('gateway').urls();
			return urls[next++ % urls.length] ?? 'http://127.0.0.1:1';
		},
		senderToken: () => tokenOfSender(api, namespace),
		replicas: async (app) => setOf(app).replicas(),
		scale: (app, count) => setOf(app).scale(count),
		rollingRestart: (app) => setOf(app).replaceEach(),
		...(previous !== null && {
			versions: {
				previousCommit: previous.commit,
				toPrevious: () => updateAll((app) => join(previous.directory, 'apps', app, 'dist', 'main.mjs')),
				toCurrent: () => updateAll(() => undefined),
			},
		}),
		...(directory !== null && {
			async restartApiServer() {
				const apiServer = partSwitch(directory, 'kube-apiserver');
				await apiServer.stop('SIGKILL');
				await apiServer.start();
				await eventually(
					() => api.call('GET', `/api/v1/namespaces/${namespace}`),
					() => {},
					TIMEOUTS.apiServerBackMs,
				);
			},
		}),
		async putPipeline(name, { seconds = 0.5, fails = false }) {
			const annotations = podAnnotations({
				durationMs: seconds * 1000,
				...(fails && { outcome: 'Error' as const, exitCode: 1 }),
			});
			const step = { name: 'repair', image: 'simulated', command: ['true'] };
			await applyObject(api, {
				apiVersion: 'tekton.dev/v1',
				kind: 'Pipeline',
				metadata: { name, namespace: executionNamespace },
				spec: { tasks: [{ name: 'repair', taskSpec: { metadata: { annotations }, steps: [step] } }] },
			});
		},
		async fireAlert(labels) {
			alertmanager ??= startAlertmanager(setOf('gateway').urls(), await tokenOfSender(api, namespace));
			const { url } = await alertmanager;
			const answer = await fetch(`${url}/api/v2/alerts`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify([{ labels, annotations: {} }]),
			});
			if (!answer.ok) throw new Error(`Alertmanager: ${answer.status} ${await answer.text()}`);
		},
	};
	onOpened(platform);
	await Promise.all(
		apps.map(async (app) => {
			const kubeconfig = await appKubeconfig(api, app, namespace, kubeconfigPath);
			if (app === 'workflow-executor') await prepareRuns();
			const env = { ...SETTINGS[app], ...(app === 'notification' ? channels : {}) };
			const set = new ProcessReplicas(app, { kubeconfig, namespace, env });
			sets.set(app, set);
			await set.scale(replicas);
		}),
	);
	await bindSender(api, namespace);
	return platform;
}

async function startAlertmanager(gateways: readonly string[], token: string): Promise<{ url: string }> {
	const config = {
		route: { receiver: 'kubernaut', group_by: ['...'], group_wait: '0s', group_interval: '1s', repeat_interval: '1h' },
		receivers: [
			{
				name: 'kubernaut',
				webhook_configs: [
					{
						url: `${gateways[0]}/api/v1/signals/prometheus`,
						http_config: { authorization: { credentials: token } },
					},
				],
			},
		],
	};
	const running = await startPart('alertmanager', { files: { 'alertmanager.yaml': JSON.stringify(config) } });
	atTheEnd(() => running.stop());
	return running;
}
