// Tekton's CRDs, rights and settings, taken from its own module, as they must be for a Tekton that runs outside of the
// cluster: no Deployments, and a webhook that the API server reaches on this machine.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { applyObject, waitUntilServed } from '../server/apply-object.ts';
import type { KubeApi, KubeObject } from '../server/kube-api.ts';

export const TEKTON_NAMESPACE = 'tekton-pipelines';
const WEBHOOK_SERVICE = 'tekton-pipelines-webhook';
const READY_TIMEOUT_MS = 120_000; // only for what hangs
const POLL_MS = 50;
/** Resolvers of remote pipelines, which we do not run. */
const LEFT_OUT = 'resolvers';
const WORKLOADS = ['Deployment', 'HorizontalPodAutoscaler'];

export function readTektonConfig(directory: string): KubeObject[] {
	return readdirSync(directory, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.yaml') && !file.startsWith(LEFT_OUT))
		.toSorted()
		.flatMap((file) => parseAllDocuments(readFileSync(join(directory, file), 'utf8')))
		.map((document) => document.toJS() as KubeObject | null)
		.filter((object) => object !== null);
}

/** Ends when the API server serves Tekton's kinds. */
export async function installTekton(api: KubeApi, config: readonly KubeObject[], webhookPort: number): Promise<void> {
	const objects = config.flatMap((object) => outsideOfTheCluster(object, webhookPort) ?? []);
	const ofKind = (kind: string) => objects.filter((object) => object['kind'] === kind);
	for (const namespace of ofKind('Namespace')) await applyObject(api, namespace);
	await Promise.all(
		objects.filter((object) => object['kind'] !== 'Namespace').map((object) => applyObject(api, object)),
	);
	await Promise.all(ofKind('CustomResourceDefinition').map((crd) => waitUntilServed(api, crd)));
}

/** Undefined for what has no place there. */
export function outsideOfTheCluster(original: KubeObject, webhookPort: number): KubeObject | undefined {
	const object = structuredClone(original);
	const { name } = object['metadata'];
	const atPort = (clientConfig: KubeObject | undefined) => {
		if (clientConfig?.['service']) clientConfig['service'].port = webhookPort;
	};
	if (WORKLOADS.includes(object['kind'])) return undefined;
	if (object['kind'] === 'Service') {
		if (name !== WEBHOOK_SERVICE) return undefined;
		object['spec'] = { type: 'ExternalName', externalName: 'localhost' };
	}
	for (const webhook of object['webhooks'] ?? []) atPort(webhook.clientConfig);
	if (object['kind'] === 'CustomResourceDefinition') atPort(object['spec'].conversion?.webhook?.clientConfig);
	if (name === 'config-observability') object['data']['metrics-protocol'] = 'none'; // no port that nothing reads
	return object;
}

/** The webhook sets up its own certificates and rules; before that, nothing is defaulted or validated, or all is refused. */
export async function waitForWebhook(api: KubeApi, config: readonly KubeObject[], signal?: AbortSignal): Promise<void> {
	const deadline = performance.now() + READY_TIMEOUT_MS;
	for (;;) {
		signal?.throwIfAborted();
		const problem = await webhookProblem(api, config);
		if (problem === undefined) return;
		if (performance.now() > deadline) throw new Error(`Tekton's webhook is not ready: ${problem}`);
		await delay(POLL_MS);
	}
}

async function webhookProblem(api: KubeApi, config: readonly KubeObject[]): Promise<string | undefined> {
	for (const { kind, metadata } of config.filter((object) => String(object['kind']).endsWith('WebhookConfiguration'))) {
		const path = `/apis/admissionregistration.k8s.io/v1/${String(kind).toLowerCase()}s/${metadata.name}`;
		const { webhooks } = await api.call('GET', path);
		for (const { rules, clientConfig } of webhooks)
			if (!rules?.length || !clientConfig.caBundle) return `${metadata.name} has no rules or no certificate yet`;
	}
	for (const { spec, metadata } of config.filter((object) => object['kind'] === 'CustomResourceDefinition')) {
		if (!spec.conversion) continue;
		const crd = await api.call('GET', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`);
		if (!crd['spec'].conversion.webhook.clientConfig.caBundle) return `${metadata.name} has no certificate yet`;
	}
	const task = {
		apiVersion: 'tekton.dev/v1beta1', // not the stored version: the answer is converted
		kind: 'Task',
		metadata: { name: 'probe' },
		spec: { steps: [{ name: 'probe', image: 'probe', command: ['true'] }] },
	};
	const path = '/apis/tekton.dev/v1beta1/namespaces/default/tasks?dryRun=All';
	const { status, body } = await api.send('POST', path, { body: task });
	return status === 201 ? undefined : String(body['message']);
}
