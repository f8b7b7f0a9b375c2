// Stops the world at an exact point: the API server asks us before it stores an object, and we take our time.
// A real admission webhook; with it a test can stop or kill a process between two of its calls.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createCertificates, type KubeApi, type KubeObject } from '@kubernaut/control-plane';
import { scratchDirectory } from './scratch.ts';

export type HeldRequest = { readonly object: KubeObject; allow(): void; deny(): void };
export type AdmissionGate = {
	/** The next create that matches is held until it is allowed or denied; all others pass. */
	hold(matches: (object: KubeObject) => boolean): Promise<HeldRequest>;
	close(): Promise<void>;
};

const PROBE_LABEL = 'kubernaut.ai/admission-probe';
const TAKES_EFFECT_MS = 60_000;

/** Guards creates of one resource in one namespace, e.g. leases of coordination.k8s.io/v1. */
export async function startAdmissionGate(
	api: KubeApi,
	namespace: string,
	resource: { group: string; version: string; plural: string; kind: string },
): Promise<AdmissionGate> {
	const waiting: { matches: (object: KubeObject) => boolean; resolve: (held: HeldRequest) => void }[] = [];
	const directory = await scratchDirectory();
	const { ca } = await createCertificates(directory);
	const certificate = {
		cert: readFileSync(join(directory, 'server.crt')),
		key: readFileSync(join(directory, 'server.key')),
	};
	const probe = { arrived: false };

	const server = createServer(certificate, (request, response) => void answer(request, response));
	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string; object: KubeObject } };
		const { uid, object } = review.request;
		const reply = (allowed: boolean) => {
			response.setHeader('content-type', 'application/json');
			response.end(
				JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed } }),
			);
		};
		if (object['metadata']?.labels?.[PROBE_LABEL] !== undefined) probe.arrived = true;
		const index = waiting.findIndex(({ matches }) => matches(object));
		const [waiter] = index === -1 ? [] : waiting.splice(index, 1);
		if (waiter === undefined) reply(true);
		else waiter.resolve({ object, allow: () => reply(true), deny: () => reply(false) });
	}
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');

	const name = `kubernaut-test-${randomBytes(4).toString('hex')}`;
	// Mutating, though it changes nothing: those are asked before an object is validated, so any probe will do.
	const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
	await api.call('POST', configurations, {
		body: {
			metadata: { name },
			webhooks: [
				{
					name: 'gate.kubernaut.ai',
					admissionReviewVersions: ['v1'],
					sideEffects: 'None',
					failurePolicy: 'Ignore',
					timeoutSeconds: 30,
					clientConfig: { url: `https://127.0.0.1:${address.port}/`, caBundle: Buffer.from(ca).toString('base64') },
					namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
					rules: [
						{
							apiGroups: [resource.group],
							apiVersions: [resource.version],
							operations: ['CREATE'],
							resources: [resource.plural],
						},
					],
				},
			],
		},
	});
	await untilInEffect();

	/** The API server learns of a webhook a little later: ask until it asks us. */
	async function untilInEffect(): Promise<void> {
		const deadline = performance.now() + TAKES_EFFECT_MS;
		const path = `/apis/${resource.group}/${resource.version}/namespaces/${namespace}/${resource.plural}`;
		const object = {
			kind: resource.kind,
			metadata: { generateName: 'probe-', labels: { [PROBE_LABEL]: 'true' } },
			spec: {},
		};
		while (!probe.arrived) {
			if (performance.now() > deadline) throw new Error('the API server does not ask the admission gate');
			await api.send('POST', `${path}?dryRun=All`, {
				body: { apiVersion: `${resource.group}/${resource.version}`, ...object },
			});
			await delay(50);
		}
	}

	return {
		hold: (matches) => new Promise((resolve) => waiting.push({ matches, resolve })),
		async close() {
			await api.send('DELETE', `${configurations}/${name}`);
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
