// A storm that comes all at once: three gateways with their default limits. How much of it can be done within a deadline
// depends on the machine, so the same load is offered a part at a time first.
import { setTimeout as delay } from 'node:timers/promises';
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { webhook } from './harness/alerts.ts';
import { DEFAULT_LIMITS, type Gateways, logged, startGateways, statuses } from './harness/gateways.ts';
import { type HttpAnswer, httpClient, senderToken } from './http/http-client.ts';

const DEADLINE_S = 10;
const SIGNALS = 3000;
const INCIDENTS = 300;

const api = adminApi();
let gateways: Gateways;
let send: ReturnType<typeof httpClient>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'burst');
	gateways = await startGateways(api, namespace, { limits: DEFAULT_LIMITS });
	send = httpClient(await senderToken(api, namespace), 1000);
});

/** Ten callers of each incident, spread over all replicas. */
function sendAll(numbers: readonly number[], name: string): Promise<HttpAnswer[]> {
	return Promise.all(
		numbers.map((i) => send(gateways.processes[i % 3]!, { body: webhook(`${name}-${Math.floor(i / 3) % INCIDENTS}`) })),
	);
}
/** As senders do it: each one that is sent away comes back when its Retry-After is over. */
async function sendUntilStored(which: readonly number[], name: string): Promise<void> {
	const answers = await sendAll(which, name);
	await Promise.all(
		answers.map(async (answer, k) => {
			if (isStored(answer)) return;
			await delay(Number(answer.headers['retry-after']) * 1000);
			await sendUntilStored([which[k]!], name);
		}),
	);
}
const numbers = Array.from({ length: SIGNALS }, (_, i) => i);
const isStored = ({ status }: HttpAnswer) => status === 201 || status === 202;

describe('3,000 signals at once, 300 incidents with 10 callers each', () => {
	it('the storm is stored as far as deadlines allow, and the rest when it comes back after Retry-After', async () => {
		const pacedAt = performance.now();
		for (let from = 0; from < SIGNALS / 2; from += 300) await sendUntilStored(numbers.slice(from, from + 300), 'paced');
		const pacedS = (2 * (performance.now() - pacedAt)) / 1000;

		const atOnce = await sendAll(numbers, 'burst');
		const rest = numbers.filter((i) => !isStored(atOnce[i]!));
		const seconds = gateways.processes.flatMap((gateway) =>
			logged(gateway, 'answered').map((line) => Number(line['seconds'])),
		);
		const retryAfter = rest.map((i) => Number(atOnce[i]!.headers['retry-after']));
		console.log(
			`300 at a time: ${pacedS.toFixed(1)} s; at once: ${JSON.stringify(statuses(atOnce as never))}, ` +
				`slowest answer ${Math.max(...seconds).toFixed(1)} s, Retry-After ${Math.min(...retryAfter)} to ${Math.max(...retryAfter)} s`,
		);
		expect(Math.max(...seconds)).toBeLessThan(DEADLINE_S + 1);
		expect(SIGNALS - rest.length).toBeGreaterThan((SIGNALS / 2) * Math.min(1, DEADLINE_S / pacedS));
		for (const i of rest) expect([503, 504]).toContain(atOnce[i]!.status);
		for (const each of retryAfter) expect(each).toBeGreaterThanOrEqual(1);
		expect(new Set(retryAfter).size).toBeGreaterThan(rest.length > 100 ? 1 : -1);

		await Promise.all(retryAfter.map((each, k) => delay(each * 1000).then(() => sendUntilStored([rest[k]!], 'burst'))));
		const requests = (await gateways.requests()).filter(({ spec }) => spec.targetResource.name.startsWith('burst-'));
		expect(requests).toHaveLength(INCIDENTS);
	});
});
