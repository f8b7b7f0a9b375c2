// The platform with its e2e overlay into a cluster, as a person would: the Secrets first, then `kubectl apply -k`.
import { join } from 'node:path';
import type { KubeApi } from '@kubernaut/control-plane';
import { runProgram, waitForDeployments } from '@kubernaut/kind';
import { createReceiverCertificates } from '@kubernaut/receivers';
import { applyObject } from '@kubernaut/testkit/apply';
import { serviceAccountToken } from '@kubernaut/testkit/service-account';
import { startProgress } from '@kubernaut/workspace/progress';
import { bindSender } from '../harness/sender-account.ts';

export const KUSTOMIZATION = join(import.meta.dirname, '..', 'cluster');
export const NAMESPACES = ['kubernaut-system', 'kubernaut-e2e'] as const;
const HOST = 'receivers.kubernaut-e2e.svc';
const MAIL_USER = 'kubernaut';
const MAIL_PASSWORD = 'of-a-mail-server-in-the-cluster';
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 'kubernaut').toString('base64')}`;

export type Installation = { readonly appliedMs: number; readonly readyMs: number };

/** Ends when every replica is ready. */
export async function installPlatform(
	api: KubeApi,
	kubeconfigPath: string,
	kubectl: string,
	signal?: AbortSignal,
): Promise<Installation> {
	await makeSecrets(api);
	const progress = startProgress('Installing the platform');
	try {
		const startedAt = performance.now();
		const command = [kubectl, '--kubeconfig', kubeconfigPath, 'apply', '-k', KUSTOMIZATION] as const;
		await runProgram(command, { onLine: progress.update, ...(signal && { signal }) });
		const appliedMs = performance.now() - startedAt;
		await bindSender(api, 'kubernaut-system');
		await waitForDeployments(api, NAMESPACES, signal, progress.update);
		progress.stop('done');
		return { appliedMs, readyMs: performance.now() - startedAt };
	} finally {
		progress.stop(signal?.aborted ? 'interrupted' : 'failed');
	}
}

/** Pods that start with them need not wait for a mounted Secret to appear. */
async function makeSecrets(api: KubeApi): Promise<void> {
	for (const name of NAMESPACES) await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
	// Of an earlier installation: running pods have read its certificates.
	const earlier = await api.send('GET', '/api/v1/namespaces/kubernaut-e2e/secrets/receivers');
	if (earlier.status === 200) return;
	const { ca, certificate, key } = await createReceiverCertificates([HOST]);
	await secret('kubernaut-system', 'notification-channels', {
		'ca.crt': ca,
		'slack-url': `https://${HOST}/services/T0CLUSTER/B0CLUSTER/of-no-use-elsewhere`,
		'webhook-url': `https://${HOST}:8444/notifications`,
		'webhook-secret': WEBHOOK_SECRET,
		'mail-password': MAIL_PASSWORD,
	});
	const token = await serviceAccountToken(api, 'kubernaut-system', 'e2e-sender');
	await secret('kubernaut-e2e', 'alertmanager-token', { token });
	await secret('kubernaut-e2e', 'receivers', {
		'ca.crt': ca,
		'tls.crt': certificate,
		'tls.key': key,
		'mail-user': MAIL_USER,
		'mail-password': MAIL_PASSWORD,
	});

	async function secret(namespace: string, name: string, stringData: Record<string, string>): Promise<void> {
		await applyObject(api, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData });
	}
}
