// The look-up of targets with a thousand nodes, and with an API server that goes away for a while.
import { appKubeconfig, applyObject, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeTarget } from './fixtures/describe-target.ts';
import { type Gateways, LONG, metric, readiness, startGateways } from './harness/gateways.ts';
import { type Outage, prepareOutage } from './harness/outage.ts';
import { Owners } from './harness/owners.ts';
import { podWebhook } from './harness/pod-alerts.ts';
import { PROMETHEUS } from './http/routes.ts';

const NODES = 1000;
const ASKED = 60;
const PARALLEL = 32;
/** Pages of a list of all nodes. */
const PAGES = 4;
/** As many images as a kubelet reports; they are most of a Node. */
const IMAGES = 50;

let outage: Outage;
let gateways: Gateways;
let owners: Owners;

beforeAll(async () => {
	outage = await prepareOutage();
	const { api, adminKubeconfig } = outage;
	const namespace = await createNamespace(api, 'strain');
	const kubeconfig = await outage.exposed(await appKubeconfig(api, 'gateway', namespace, adminKubeconfig));
	gateways = await startGateways(api, namespace, { count: 1, kubeconfig, adminKubeconfig });
	owners = new Owners(api, await createNamespace(api, 'strained'));
	const metadata = { name: 'default', namespace: owners.namespace };
	await applyObject(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
	const rest = Array.from({ length: NODES }, (_, i) => i).values();
	const create = async () => {
		for (const i of rest) await api.call('POST', '/api/v1/nodes', { body: node(i) });
	};
	await Promise.all(Array.from({ length: PARALLEL }, create));
});

const addressOf = (i: number) => `10.1.${Math.floor(i / 250)}.${(i % 250) + 1}`;
function node(i: number): object {
	const images = Array.from({ length: IMAGES }, (_, image) => ({
		names: [`registry.example.org/team/app-${image}@sha256:${String(i * IMAGES + image).padStart(64, '0')}`],
		sizeBytes: 100_000_000 + image,
	}));
	const addresses = [
		{ type: 'InternalIP', address: addressOf(i) },
		{ type: 'Hostname', address: `worker-${i}` },
	];
	return { metadata: { name: `worker-${i}` }, status: { addresses, images } };
}
/** Of node-exporter, whose pod is gone: only the address is left. */
function aboutNode(i: number): string {
	const labels = {
		alertname: 'NodeFilesystemAlmostOutOfSpace',
		severity: 'warning',
		job: 'node-exporter',
		namespace: 'monitoring',
		pod: `node-exporter-x2x${'bcdfghjklm'[i % 10]}p`,
		container: 'node-exporter',
		endpoint: 'http-metrics',
		instance: `${addressOf(i)}:9100`,
	};
	return JSON.stringify({ version: '4', receiver: 'kubernaut', alerts: [{ status: 'firing', labels }] });
}

describe('the look-up of targets', () => {
	it('finds the node behind an address among 1,000, with one list for all that ask within 10 s', async () => {
		const [gateway] = gateways.processes;
		const startedAt = performance.now();
		const first = await gateways.post(gateway!, PROMETHEUS, aboutNode(0));
		const firstMs = performance.now() - startedAt;
		expect(first.status).toBe(201);
		const numbers = Array.from({ length: ASKED - 1 }, (_, i) => 1 + i * 16);
		const answers = await Promise.all(numbers.map((i) => gateways.post(gateway!, PROMETHEUS, aboutNode(i))));
		const tookMs = performance.now() - startedAt;
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
		const targets = (await gateways.requests()).map(
			({ spec }) => `${describeTarget(spec.targetResource)} ${spec.targetSource}`,
		);
		expect(targets.toSorted()).toEqual([0, ...numbers].map((i) => `Node/worker-${i} NodeAddress`).toSorted());
		const lists = (await metric(gateway!, 'gateway_api_requests_total{verb="list",resource="nodes",code="2xx"}')) ?? 0;
		const sum = (await metric(gateway!, 'gateway_target_lookup_duration_seconds_sum')) ?? 0;
		console.log(
			`${NODES} nodes: first answer after ${Math.round(firstMs)} ms, ${ASKED} incidents in ${Math.round(tookMs)} ms with ${lists} pages of nodes, mean look-up ${Math.round((sum / ASKED) * 1000)} ms`,
		);
		expect(lists).toBeLessThanOrEqual(PAGES * (1 + Math.ceil(tookMs / 10_000)));
		expect(lists).toBeGreaterThanOrEqual(PAGES);
	});

	it('is deferred with its signal while the API server is away, and finds the workload when it is back', async () => {
		const [gateway] = gateways.processes;
		const top = await owners.create('apps/v1', 'Deployment', 'cart');
		const replicaSet = await owners.create('apps/v1', 'ReplicaSet', 'cart-7d4b9c55f6', top);
		const pod = await owners.pod('cart-7d4b9c55f6-x2x8p', replicaSet);
		const alert = podWebhook({ alertname: 'Away', namespace: owners.namespace, pod: pod.name });
		const send = async () => (await gateways.post(gateway!, PROMETHEUS, alert)).status;
		await outage.stop('SIGKILL');
		expect(await send()).toBe(503);
		await outage.start();
		await expect.poll(() => readiness(gateway!), LONG).toBe(200);
		await expect.poll(send, { ...LONG, interval: 500 }).toBe(201);
		const stored = (await gateways.requests()).filter(({ spec }) => spec.signalName === 'Away');
		expect(stored.map(({ spec }) => [spec.targetResource.kind, spec.targetSource])).toEqual([['Deployment', 'Owner']]);
		const { checks } = (await (await fetch(`${gateway!.healthUrl}/readyz`)).json()) as {
			checks: { name: string; message: string }[];
		};
		expect(checks.find(({ name }) => name === 'target-look-up')?.message).toBe('allowed');
	});
});
