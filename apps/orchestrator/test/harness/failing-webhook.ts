// A real admission webhook that the API server asks before it stores a WorkflowExecution, and that is broken: it answers 500
// until it is repaired.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { createCertificates, type KubeApi } from '@kubernaut/control-plane';
import { scratchDirectory } from '@kubernaut/testkit';

export type FailingWebhook = {
	/** How often it was asked. */
	asked(): number;
	repair(): void;
	close(): Promise<void>;
};

export async function startFailingWebhook(api: KubeApi, namespace: string): Promise<FailingWebhook> {
	const directory = await scratchDirectory();
	const { ca } = await createCertificates(directory);
	const read = (file: string) => readFileSync(join(directory, file));
	let asked = 0;
	let isBroken = true;
	const certificate = { cert: read('server.crt'), key: read('server.key') };
	const server = createServer(certificate, (request, response) => void answer(request, response));
	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		asked++;
		if (isBroken) {
			response.writeHead(500).end();
			return;
		}
		const { uid } = (JSON.parse(Buffer.concat(chunks).toString()) as { request: { uid: string } }).request;
		const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
		response.setHeader('content-type', 'application/json').end(JSON.stringify(review));
	}
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
	const name = `kubernaut-broken-${randomBytes(4).toString('hex')}`;
	const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
	await api.call('POST', configurations, {
		body: {
			metadata: { name },
			webhooks: [
				{
					name: 'broken.kubernaut.ai',
					admissionReviewVersions: ['v1'],
					sideEffects: 'None',
					failurePolicy: 'Fail',
					clientConfig: { url: `https://127.0.0.1:${address.port}/`, caBundle: Buffer.from(ca).toString('base64') },
					namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
					rules: [
						{
							apiGroups: ['kubernaut.ai'],
							apiVersions: ['*'],
							operations: ['CREATE'],
							resources: ['workflowexecutions'],
						},
					],
				},
			],
		},
	});
	return {
		asked: () => asked,
		repair: () => void (isBroken = false),
		async close() {
			await api.send('DELETE', `${configurations}/${name}`);
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
