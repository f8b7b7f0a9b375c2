// POST /explain on a real API server: what would become of a body, with nothing written.
import { adminApi, applyObject, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Explanation } from '../src/http/explain/explain-route.ts';
import { type Gateways, startGateways } from './harness/gateways.ts';
import { Owners } from './harness/owners.ts';
import { podWebhook } from './harness/pod-alerts.ts';
import { PROMETHEUS } from './http/routes.ts';

const EXPLAIN = '/explain';
const POD = 'cart-7d4b9c55f6-x2x8p';
const api = adminApi();
let gateways: Gateways;
let owners: Owners;

beforeAll(async () => {
	owners = new Owners(api, await createNamespace(api, 'explained'));
	const metadata = { name: 'default', namespace: owners.namespace };
	await applyObject(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
	const cart = await owners.create('apps/v1', 'Deployment', 'cart');
	await owners.pod(POD, await owners.create('apps/v1', 'ReplicaSet', 'cart-7d4b9c55f6', cart));
	gateways = await startGateways(api, await createNamespace(api, 'explain'), { count: 1, env: { EXPLAIN: 'on' } });
	await gateways.start('gateway-off', { EXPLAIN: 'off' });
});

async function explain(body: string, to = 0) {
	const { status, body: answer } = await gateways.post(gateways.processes[to]!, EXPLAIN, body);
	return { status, explanations: answer['explanations'] as Explanation[] };
}
const alert = (endsAt?: string) =>
	podWebhook({ namespace: owners.namespace, pod: POD, ...(endsAt === undefined ? {} : { endsAt }) });

describe('POST /explain', () => {
	it('says target, owner, fingerprint and request of a body, and why, and writes nothing', async () => {
		const { status, explanations } = await explain(alert());
		expect(status).toBe(200);
		const [explanation] = explanations;
		expect(explanation).toMatchObject({
			action: 'ingest',
			fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
			named: { kind: 'Pod', name: POD },
			target: { kind: 'Deployment', name: 'cart', namespace: owners.namespace },
			targetSource: 'Owner',
			subject: { kind: 'Pod', name: POD },
			remediationRequestName: expect.stringMatching(/^rr-/),
		});
		expect(explanation?.reasons).toEqual(
			expect.arrayContaining([
				`Pod ${POD} is controlled by ReplicaSet cart-7d4b9c55f6`,
				'ReplicaSet cart-7d4b9c55f6 is controlled by Deployment cart',
				'no request has this fingerprint: it would be created',
			]),
		);
		expect(await gateways.requests()).toEqual([]);
		expect(await gateways.leases()).toEqual([]);
	});

	it('what it says comes true, and then it says what the next one would become', async () => {
		const [before] = (await explain(alert())).explanations;
		await gateways.post(gateways.processes[0]!, PROMETHEUS, alert());
		const [stored] = await gateways.requests();
		expect(stored?.metadata.name).toBe(before?.remediationRequestName);
		expect(stored?.spec).toMatchObject({ signalFingerprint: before?.fingerprint, targetSource: before?.targetSource });
		expect(stored?.spec.targetResource).toEqual(before?.target);
		const last = async (body: string) => (await explain(body)).explanations[0]?.reasons.at(-1);
		await expect.poll(() => last(alert())).toMatch(/is active: it would be counted there as number 2$/);
		expect(await last(alert('2026-11-16T20:30:00.000Z'))).toMatch(/is active: the end would be recorded on it$/);
		expect((await gateways.requests())[0]?.metadata.resourceVersion).toBe(stored?.metadata.resourceVersion);
	});

	it('says why an alert is ignored', async () => {
		const body = podWebhook({ namespace: owners.namespace, pod: POD, more: { severity: 'none' } });
		expect((await explain(body)).explanations).toEqual([
			{ action: 'ignore', message: expect.stringContaining('severity none'), reasons: [] },
		]);
	});

	it('needs a token that may create requests, and is not there when it is off', async () => {
		const answer = await fetch(`${gateways.processes[0]!.apiUrl}${EXPLAIN}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: alert(),
		});
		expect(answer.status).toBe(401);
		expect((await explain(alert(), 1)).status).toBe(404);
		const described = (to: number) =>
			fetch(`${gateways.processes[to]!.apiUrl}/openapi.json`).then((page) => page.text());
		expect(await described(0)).toContain('"/explain"');
		expect(await described(1)).not.toContain('"/explain"');
	});
});
