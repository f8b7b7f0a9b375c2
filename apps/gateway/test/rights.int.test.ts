// With the rights of its manifests, and less each one of them.
import { setTimeout as delay } from 'node:timers/promises';
import { type AppProcess, applyObject, describeRights, type RightsStage, readManifests } from '@kubernaut/testkit';
import { webhook } from './harness/alerts.ts';
import { RELAXED_LIMITS } from './harness/gateways.ts';
import { Owners } from './harness/owners.ts';
import { podWebhook } from './harness/pod-alerts.ts';
import { senderToken } from './http/http-client.ts';
import { PROMETHEUS } from './http/routes.ts';

const STORED = [201, 202];
const TRIES = 40;
const PAUSE_MS = 500;
const POD_OF_DEPLOYMENT = 'cart-7d4b9c55f6-x2x8p';
const POD_OF_CRON_JOB = 'backup-29000000-x2x8p';

/** A sender, and pods of two kinds of workloads. */
async function prepare(stage: RightsStage): Promise<void> {
	await giveSenderItsRole(stage);
	const { api, namespace } = stage;
	await applyObject(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
	const owners = new Owners(api, namespace);
	const cart = await owners.create('apps/v1', 'Deployment', 'cart');
	await owners.pod(POD_OF_DEPLOYMENT, await owners.create('apps/v1', 'ReplicaSet', 'cart-7d4b9c55f6', cart));
	const backup = await owners.create('batch/v1', 'CronJob', 'backup');
	await owners.pod(POD_OF_CRON_JOB, await owners.create('batch/v1', 'Job', 'backup-29000000', backup));
}

/** A new incident, then a duplicate of it, which is counted in its status; pods and a node that are looked up. */
async function drive({ api, namespace }: RightsStage, { apiUrl }: AppProcess): Promise<void> {
	const token = await senderToken(api, namespace);
	const bodies = [
		webhook('cart'),
		webhook('cart'),
		podWebhook({ namespace, pod: POD_OF_DEPLOYMENT }),
		podWebhook({ namespace, pod: POD_OF_CRON_JOB }),
		aboutNode(),
	];
	for (const body of bodies) await sendUntilStored(apiUrl, token, body);
}

async function sendUntilStored(apiUrl: string, token: string, body: string): Promise<void> {
	const answers: number[] = [];
	while (!answers.some((status) => STORED.includes(status))) {
		if (answers.length === TRIES) throw new Error(`not stored: ${answers.join(' ')}`);
		if (answers.length > 0) await delay(PAUSE_MS);
		answers.push(await send(apiUrl, token, body));
	}
}

async function send(apiUrl: string, token: string, body: string): Promise<number> {
	const answer = await fetch(`${apiUrl}${PROMETHEUS}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
		body,
	}).catch(() => undefined);
	return answer?.status ?? 0;
}

/** The account of a sender, with the Role that the manifests have for it. */
async function giveSenderItsRole({ api, namespace }: RightsStage): Promise<void> {
	for (const role of readManifests('deploy/apps/gateway/signal-sender.yaml'))
		await applyObject(api, { ...role, metadata: { ...role['metadata'], namespace } });
	await applyObject(api, {
		apiVersion: 'rbac.authorization.k8s.io/v1',
		kind: 'RoleBinding',
		metadata: { name: 'sender', namespace },
		roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'signal-sender' },
		subjects: [{ kind: 'ServiceAccount', name: 'sender', namespace }],
	});
}

/** Of a node-exporter whose pod is gone, so that the address is looked for. */
function aboutNode(): string {
	const labels = {
		alertname: 'NodeFilesystemAlmostOutOfSpace',
		job: 'node-exporter',
		namespace: 'monitoring',
		pod: 'node-exporter-x2x8p',
		instance: '10.0.0.7:9100',
	};
	return JSON.stringify({ version: '4', alerts: [{ status: 'firing', labels }] });
}

describeRights('gateway', { env: () => RELAXED_LIMITS, prepare, drive });
