// A real Alertmanager that sends to a real gateway, and its reaction to each answer: it sends a batch with a deferred alert
// again, and gives up one with a rejected alert.
import { obtainPart, type RunningPart, startPart } from '@kubernaut/control-plane';
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import { requestOf } from './harness/alerts.ts';
import { holdLock } from './harness/foreign-holder.ts';
import { type CreateGate, gateRequests } from './harness/gates.ts';
import { type Gateways, metric, occurrences, startGateways } from './harness/gateways.ts';
import { senderToken } from './http/http-client.ts';
import { PROMETHEUS } from './http/routes.ts';

/** Built from source the first time. */
const BUILD_LIMIT_MS = 1_800_000;

const api = adminApi();
let gateways: Gateways;
let gateway: AppProcess;
let gate: CreateGate<NewRemediationRequest>;
let alertmanager: RunningPart;

beforeAll(async () => {
	const binary = await obtainPart('alertmanager');
	const namespace = await createNamespace(api, 'alertmanager');
	gateways = await startGateways(api, namespace, { count: 1 });
	gateway = gateways.processes[0]!;
	gate = await gateRequests(api, namespace);
	const receiver = (credentials: string) => ({
		url: gateway.apiUrl + PROMETHEUS,
		send_resolved: true,
		http_config: { authorization: { type: 'Bearer', credentials } },
	});
	const config = {
		route: {
			receiver: 'kubernaut',
			group_by: ['batch'],
			group_wait: '1s',
			group_interval: '20s', // so long Alertmanager tries before it leaves the batch to the next round
			repeat_interval: '1h',
			routes: [
				{ receiver: 'stranger', matchers: ['sender="stranger"'] },
				{ receiver: 'kubernaut', matchers: ['batch="quick"'], group_interval: '1s' },
			],
		},
		receivers: [
			{ name: 'kubernaut', webhook_configs: [receiver(await senderToken(api, namespace))] },
			{ name: 'stranger', webhook_configs: [receiver('unknown-token')] },
		],
	};
	// JSON is YAML too.
	alertmanager = await startPart('alertmanager', {
		binary,
		files: { 'alertmanager.yaml': JSON.stringify(config) },
		extraArgs: ['--log.level=debug'],
	});
}, BUILD_LIMIT_MS);
afterAll(() => alertmanager?.stop());

type Fired = {
	readonly deployment: string;
	readonly labels?: Record<string, string>;
	readonly startsAt?: string;
	readonly endsAt?: string;
};

/** One batch: Alertmanager groups by the label. For alerts that have just begun it waits until all of them are there. */
async function fire(batch: string, alerts: readonly Fired[]): Promise<void> {
	const body = alerts.map(({ deployment, labels, startsAt = new Date().toISOString(), endsAt }) => ({
		labels: {
			alertname: 'KubeDeploymentReplicasMismatch',
			severity: 'critical',
			namespace: 'shop',
			deployment,
			batch,
			...labels,
		},
		annotations: { summary: `${deployment} lacks replicas: "ä" < 3` },
		startsAt,
		...(endsAt === undefined ? {} : { endsAt }),
		generatorURL: 'http://prometheus.example.org/graph?g0.expr=up',
	}));
	const answer = await fetch(`${alertmanager.url}/api/v2/alerts`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	expect(answer.status).toBe(200);
}
const STARTS_AT = new Date(Date.now() - 60_000).toISOString();

/** How often the gateway answered Alertmanager so. */
async function answers(code: '2xx' | '207' | '4xx' | '503'): Promise<number> {
	return (await metric(gateway, `gateway_http_requests_total{route="${PROMETHEUS}",code="${code}"}`)) ?? Number.NaN;
}
async function sent(): Promise<number> {
	return (await answers('2xx')) + (await answers('207')) + (await answers('4xx')) + (await answers('503'));
}
/** Alertmanager says so: after that it does not send the batch again. */
async function untilDone(batch: string): Promise<void> {
	const successes = () =>
		alertmanager
			.log()
			.split('\n')
			.filter((line) => line.includes('Notify success') && line.includes(batch));
	await expect.poll(successes).toHaveLength(1);
}
const countsOf = async (deployment: string) => occurrences(await gateways.requests(deployment));

describe('an alert', () => {
	it('an alert becomes a request with all of its fields', async () => {
		await fire('quick', [{ deployment: 'cart', startsAt: STARTS_AT }]);
		await expect.poll(() => gateways.requests('cart')).toHaveLength(1);
		const [request] = await gateways.requests('cart');
		expect(request!.spec).toMatchObject({
			signalName: 'KubeDeploymentReplicasMismatch',
			signalType: 'alert',
			signalSource: 'kubernaut',
			severity: 'critical',
			targetResource: { kind: 'Deployment', namespace: 'shop', name: 'cart' },
			signalLabels: { deployment: 'cart', batch: 'quick' },
			signalAnnotations: { summary: 'cart lacks replicas: "ä" < 3' },
		});
		expect(new Date(request!.spec.firingTime).toISOString()).toBe(STARTS_AT);
	});

	const resolvedAt = async () => (await gateways.requests('cart'))[0]!.status.signalResolvedAt;

	it('a resolved alert marks its request and creates nothing', async () => {
		await fire('quick', [{ deployment: 'cart', startsAt: STARTS_AT, endsAt: new Date().toISOString() }]);
		await expect.poll(resolvedAt).toEqual(expect.any(String));
		expect(await countsOf('cart')).toEqual([1]);
	});

	it('an alert that fires again is counted, and its request is no longer marked as resolved', async () => {
		await fire('quick', [{ deployment: 'cart', startsAt: new Date().toISOString() }]);
		await expect.poll(() => countsOf('cart')).toEqual([2]);
		expect(await resolvedAt()).toBeUndefined();
		await expect.poll(() => answers('2xx')).toBe(3); // counted when the answer is gone, a moment later
	});
});

describe('a batch with a deferred alert', () => {
	it('a batch with a deferred alert is answered 503 and sent again, and nothing is lost', async () => {
		const before = { deferred: await answers('503'), stored: await answers('2xx') };
		const holder = await holdLock(api, gateways, 'held');
		await fire('passing', [{ deployment: 'free-1' }, { deployment: 'held' }, { deployment: 'free-2' }]);

		// The second 503 is of a retry: it says that the first was sent again.
		await expect.poll(() => answers('503'), { timeout: 60_000 }).toBeGreaterThan(before.deferred + 1);
		expect(await countsOf('held')).toEqual([]);
		await holder.release();

		await expect.poll(() => answers('2xx'), { timeout: 30_000 }).toBe(before.stored + 1);
		expect(await countsOf('held')).toEqual([1]);
		await untilDone('passing');
		expect(await answers('2xx')).toBe(before.stored + 1);
		// What was stored already is not counted again by the retry.
		for (const deployment of ['free-1', 'free-2']) expect(await countsOf(deployment)).toEqual([1]);
	});
});

describe('a batch with a rejected alert', () => {
	it('a batch with a rejected alert is answered 207 and not sent again; the others are stored', async () => {
		const before = await answers('207');
		void gate.hold(requestOf('rejected')).then((held) => held.deny());
		await fire('permanent', [{ deployment: 'good-1' }, { deployment: 'rejected' }, { deployment: 'good-2' }]);
		// A busy machine may have deferred it first, which is another matter.
		await expect.poll(() => answers('207')).toBe(before + 1);
		const sendings = await sent();
		await untilDone('permanent');
		expect(await sent()).toBe(sendings);
		expect([await countsOf('good-1'), await countsOf('rejected'), await countsOf('good-2')]).toEqual([[1], [], [1]]);
	});
});

describe('an unknown sender', () => {
	it('an unknown sender is answered 401 and creates nothing', async () => {
		const before = await answers('4xx');
		await fire('strange', [{ deployment: 'strange', labels: { sender: 'stranger' } }]);
		await expect.poll(() => answers('4xx')).toBeGreaterThan(before);
		expect(await gateways.requests('strange')).toEqual([]);
		await expect.poll(() => alertmanager.log()).toContain('unexpected status code 401');
	});
});
