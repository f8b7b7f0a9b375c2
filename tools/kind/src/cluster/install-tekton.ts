// Tekton in a cluster, from the manifests of its own module: image references of its build tool are replaced by images that
// are there. Nothing of it is kept in this repository.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { applyObject, type KubeApi, type KubeObject, waitUntilServed } from '@kubernaut/control-plane';
import { startProgress } from '@kubernaut/workspace/progress';
import { parseAllDocuments } from 'yaml';

const NAMESPACES = ['tekton-pipelines', 'tekton-pipelines-resolvers'];
const MODULE = 'github.com/tektoncd/pipeline/cmd/';
const READY_TIMEOUT_MS = 300_000;
const POLL_MS = 500;
/** Sends cloud events, which no scenario asks for. */
const LEFT_OUT = /^events\.yaml$/;

/** `imageOf`: of a command of Tekton's module. */
export async function installTekton(
	api: KubeApi,
	config: string,
	imageOf: (command: string) => string,
	shellImage: string,
	signal?: AbortSignal,
): Promise<void> {
	const progress = startProgress('Installing Tekton');
	try {
		const objects = readConfig(config, imageOf, shellImage);
		const ofKind = (kind: string) => objects.filter((object) => object['kind'] === kind);
		const first = ['Namespace', 'CustomResourceDefinition'];
		for (const kind of first) for (const object of ofKind(kind)) await applyObject(api, object);
		for (const crd of ofKind('CustomResourceDefinition')) await waitUntilServed(api, crd);
		const rest = objects.filter((object) => !first.includes(object['kind']));
		await Promise.all(rest.map((object) => applyObject(api, object)));
		await waitForDeployments(api, NAMESPACES, signal, progress.update);
		await waitForWebhook(api, signal);
		progress.stop('done');
	} finally {
		progress.stop(signal?.aborted ? 'interrupted' : 'failed');
	}
}

export function readConfig(directory: string, imageOf: (command: string) => string, shellImage: string): KubeObject[] {
	return readdirSync(directory, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.yaml') && !LEFT_OUT.test(file))
		.toSorted()
		.flatMap((file) =>
			parseAllDocuments(replaceImages(readFileSync(join(directory, file), 'utf8'), imageOf, shellImage)),
		)
		.map((document) => document.toJS() as KubeObject | null)
		.filter((object) => object !== null)
		.filter(({ kind }) => kind !== 'HorizontalPodAutoscaler')
		.map(withoutInit);
}

/** Released images have tini, which reaps what the resolver of git leaves; ours have the program alone. */
export function withoutInit(object: KubeObject): KubeObject {
	for (const container of (object['spec']?.template?.spec?.containers ?? []) as { command?: string[] }[])
		if (container.command?.[0]?.endsWith('/tini')) container.command = container.command.slice(2);
	return object;
}

/** `ko://…/cmd/x` is the image of a command; the shell images that the controller is given are the step image. */
export function replaceImages(text: string, imageOf: (command: string) => string, shellImage: string): string {
	return text
		.replaceAll(new RegExp(`ko://${MODULE}([\\w-]+)`, 'g'), (_, command: string) => imageOf(command))
		.replaceAll(/("-shell-image(?:-win)?", )"[^"]+"/g, `$1"${shellImage}"`);
}

export async function waitForDeployments(
	api: KubeApi,
	namespaces: readonly string[],
	signal?: AbortSignal,
	update: (detail: string) => void = () => {},
): Promise<void> {
	const deadline = performance.now() + READY_TIMEOUT_MS;
	for (;;) {
		signal?.throwIfAborted();
		const waiting: string[] = [];
		for (const namespace of namespaces) {
			const { items } = await api.call('GET', `/apis/apps/v1/namespaces/${namespace}/deployments`);
			for (const { metadata, spec, status } of items as KubeObject[])
				if ((status.readyReplicas ?? 0) < spec.replicas || status.observedGeneration < metadata.generation)
					waiting.push(metadata.name);
		}
		if (waiting.length === 0) return;
		update(`waiting for ${waiting.join(', ')}`);
		if (performance.now() > deadline) {
			const reasons = (await Promise.all(namespaces.map((namespace) => waitingContainers(api, namespace)))).flat();
			throw new Error([`not ready in time: ${waiting.join(', ')}`, ...reasons].join('\n'));
		}
		await delay(POLL_MS);
	}
}

/** Why containers do not run: an image that is not there, a Secret that is missing, a program that ends. */
async function waitingContainers(api: KubeApi, namespace: string): Promise<string[]> {
	const { items } = await api.call('GET', `/api/v1/namespaces/${namespace}/pods`);
	return (items as KubeObject[]).flatMap(({ metadata, status }) =>
		((status.containerStatuses ?? []) as KubeObject[]).flatMap(({ state }) =>
			state?.waiting ? [`${metadata.name}: ${state.waiting.reason} ${state.waiting.message ?? ''}`] : [],
		),
	);
}

/** It sets up its certificates and rules itself. Before that, everything or nothing is admitted. */
async function waitForWebhook(api: KubeApi, signal?: AbortSignal): Promise<void> {
	const deadline = performance.now() + READY_TIMEOUT_MS;
	const probe = {
		apiVersion: 'tekton.dev/v1beta1', // not the stored version: the answer is converted
		kind: 'Task',
		metadata: { name: 'probe' },
		spec: { steps: [{ name: 'probe', image: 'probe', command: ['true'] }] },
	};
	for (;;) {
		signal?.throwIfAborted();
		const configuration = 'webhook.pipeline.tekton.dev';
		const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${configuration}`;
		const { webhooks } = await api.call('GET', path);
		const isSetUp = (webhooks as KubeObject[]).every(
			({ rules, clientConfig }) => rules?.length && clientConfig.caBundle,
		);
		const tried = await api.send('POST', '/apis/tekton.dev/v1beta1/namespaces/default/tasks?dryRun=All', {
			body: probe,
		});
		if (isSetUp && tried.status === 201) return;
		if (performance.now() > deadline)
			throw new Error(`Tekton's webhook is not ready: ${String(tried.body['message'])}`);
		await delay(POLL_MS);
	}
}
