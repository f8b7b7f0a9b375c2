// Batches that are larger than one deadline, are sent again, or hold an alert that cannot be stored.
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { alertOf, batch } from './harness/batches.ts';
import { DEFAULT_LIMITS, type Gateways, occurrences, startGateways } from './harness/gateways.ts';
import { type HttpAnswer, httpClient, senderToken } from './http/http-client.ts';

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let gateway: AppProcess;
let send: ReturnType<typeof httpClient>;

beforeAll(async () => {
	namespace = await createNamespace(api, 'batches');
	gateways = await startGateways(api, namespace, { limits: DEFAULT_LIMITS });
	gateway = gateways.processes[0]!;
	send = httpClient(await senderToken(api, namespace));
});

function results(answer: HttpAnswer): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of (answer.json['results'] ?? []) as { status: string }[])
		counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}

/**
 * How many sendings a batch may take. Three; more only on a machine whose API server is so busy with other work that the
 * bare calls of the batch (a Lease and its removal, a create) take longer than that.
 */
async function allowedSendings(incidents: number): Promise<number> {
	const names = Array.from({ length: 320 }, (_, i) => `pace-${i}`).values();
	const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
	const startedAt = performance.now();
	await Promise.all(
		Array.from({ length: 16 }, async () => {
			for (const name of names) {
				await api.call('POST', leases, { body: { metadata: { name } } });
				await api.call('POST', configMaps, { body: { metadata: { name } } });
				await api.call('DELETE', `${leases}/${name}`);
			}
		}),
	);
	const bareMs = ((performance.now() - startedAt) * incidents) / 320;
	return Math.max(3, 1 + Math.ceil((1.3 * bareMs) / 9500));
}

describe('a batch of 3,200 incidents', () => {
	const names = Array.from({ length: 3200 }, (_, i) => `many-${i}`);
	// Small, so that it is no matter of bytes.
	const alerts = names.map((node) => JSON.stringify({ status: 'firing', labels: { alertname: 'A', node } }));
	const body = batch('many', alerts);
	const countsOf = async () => {
		const stored = (await gateways.requests()).filter(({ spec }) => spec.targetResource.name.startsWith('many-'));
		expect(stored.length).toBe(names.length);
		return new Set(occurrences(stored));
	};

	it('the third sending at most is acknowledged, each makes progress, and each alert is counted once', async () => {
		const allowed = await allowedSendings(names.length);
		const sendings: [status: number, seconds: number, results: Record<string, number>][] = [];
		for (let sent = 0; sent < allowed; sent++) {
			const startedAt = performance.now();
			const answer = await send(gateway, { body });
			sendings.push([answer.status, Math.round((performance.now() - startedAt) / 100) / 10, results(answer)]);
			if (answer.status < 300) break;
		}
		console.log(`at most ${allowed} sendings:`, JSON.stringify(sendings));
		expect(sendings.at(-1)![0]).toBeLessThan(300);
		expect([...(await countsOf())]).toEqual([1]);
	});

	it('the same alerts in a new notification are counted', async () => {
		const again = batch('many', alerts.slice(0, 200));
		expect(await send(gateway, { body: again })).toMatchObject({ status: 202 });
		const [first] = await gateways.requests('many-0');
		expect(occurrences([first!])).toEqual([2]);
	});
});

describe('one poisoned alert', () => {
	const POISONED = [
		['a key __proto__', '{"status":"firing","labels":{"alertname":"P","__proto__":"x"}}'],
		['a key constructor.prototype', '{"status":"firing","labels":{"alertname":"P"},"constructor":{"prototype":{}}}'],
		['a control character in its name', '{"status":"firing","labels":{"alertname":"P\\u0000"}}'],
		['a control character in a label', '{"status":"firing","labels":{"alertname":"P","pod":"a\\u0007b"}}'],
		['a lone surrogate', '{"status":"firing","labels":{"alertname":"P\\ud800"}}'],
		['no name', '{"status":"firing","labels":{"pod":"p"}}'],
		['a label that is a number', '{"status":"firing","labels":{"alertname":"P","pod":7}}'],
		['labels that are a list', '{"status":"firing","labels":["alertname"]}'],
		['an unknown status', '{"status":"broken","labels":{"alertname":"P"}}'],
		['no object', '"alert"'],
	] as const;

	it.each(POISONED)('an alert with %s is rejected alone, with its reason', async (what, alert) => {
		const good = `beside-${POISONED.findIndex(([name]) => name === what)}`;
		const body = batch('poison', [alertOf(`${good}-a`), alert, alertOf(`${good}-b`)]);
		const answer = await send(gateway, { body });
		expect(answer).toMatchObject({ status: 207 });
		const [first, second, third] = answer.json['results'] as { status: string; message: string }[];
		expect([first!.status, second!.status, third!.status]).toEqual(['created', 'rejected', 'created']);
		expect(second!.message).not.toBe('');
	});
});
