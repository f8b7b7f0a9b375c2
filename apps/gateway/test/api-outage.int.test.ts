// The API server goes away and comes back while signals come in: every signal that is answered as stored is stored, there
// is no second request, no answer is late, and the gateways recover by themselves.
import { appKubeconfig, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateways, metric, readiness, startGateways } from './harness/gateways.ts';
import { expectStored, isStored, startLoad } from './harness/load.ts';
import { type Outage, prepareOutage } from './harness/outage.ts';

const LONG = { timeout: 60_000, interval: 50 };
const ENV = {
	KUBERNETES_REQUEST_TIMEOUT: '1700ms',
	LOCK_LEASE_DURATION: '9s',
	REQUEST_DEADLINE: '4s',
};

let outage: Outage;
let gateways: Gateways;

beforeAll(async () => {
	outage = await prepareOutage();
	const { api, adminKubeconfig } = outage;
	const namespace = await createNamespace(api, 'outage');
	const kubeconfig = await outage.exposed(await appKubeconfig(api, 'gateway', namespace, adminKubeconfig));
	gateways = await startGateways(api, namespace, { env: ENV, kubeconfig, adminKubeconfig });
});

async function allReadiness(): Promise<(number | undefined)[]> {
	return Promise.all(gateways.processes.map(readiness));
}

async function checksOf(of: number): Promise<{ name: string; ok: boolean }[]> {
	const answer = await fetch(`${gateways.processes[of]!.healthUrl}/readyz`);
	return ((await answer.json()) as { checks: { name: string; ok: boolean }[] }).checks;
}

describe('an API server that goes away', () => {
	it('an API server that is killed, and later stopped, under load: every signal answered as stored is stored once, and all recover', async () => {
		const load = startLoad(gateways, { senders: 6, deploymentOf: (n) => `load-${Math.floor(n / 15)}` });
		const stored = () => load.history.filter(({ answer }) => isStored(answer)).length;
		const storesMore = async () => {
			const before = stored();
			await expect.poll(stored, LONG).toBeGreaterThan(before + 100);
		};
		await storesMore();
		for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
			await outage.stop(signal);
			await expect.poll(allReadiness, LONG).toEqual([503, 503, 503]);
			await outage.start();
			await expect.poll(allReadiness, LONG).toEqual([200, 200, 200]);
			await storesMore();
		}
		await load.stop();

		const answers = load.history.map(({ answer }) => answer);
		for (const { status } of answers) expect([201, 202, 503, 504]).toContain(status);
		for (const deferred of answers.filter(({ status }) => status === 503))
			expect(deferred).toMatchObject({ retryAfter: expect.stringMatching(/^[1-9]/) });
		expectStored(load.history, await gateways.requests());
		// An API server that starts refuses everything until it has loaded its RBAC rules.
		for (const { output } of gateways.processes) expect(output().join('\n')).not.toContain('the Role lacks');
		console.log(`${stored()} stored, ${load.history.length - stored()} deferred`);
		const alive = gateways.processes.map(({ exited }) => Promise.race([exited, Promise.resolve('alive')]));
		expect(await Promise.all(alive)).toEqual(['alive', 'alive', 'alive']);
		await expect.poll(() => gateways.leases(), LONG).toEqual([]);
	}, 400_000);

	it('an API server that is away opens the breaker (503 at once, not ready), which closes by itself', async () => {
		const [gateway] = gateways.processes;
		const isOpen = () => metric(gateway!, 'gateway_circuit_breaker_state{state="open"}');
		await outage.stop('SIGKILL');
		let sent = 0;
		const send = () => gateways.send(gateway!, `breaker-${sent++}`);
		const deferredAtOnce = async () => {
			const startedAt = performance.now();
			const { status, retryAfter, body } = await send();
			const atOnce = performance.now() - startedAt < 1500;
			return { status, code: body.code, hasRetryAfter: Number(retryAfter) > 0, atOnce, open: await isOpen() };
		};
		const want = { status: 503, code: 'API_UNAVAILABLE', hasRetryAfter: true, atOnce: true, open: 1 };
		await expect.poll(deferredAtOnce, LONG).toEqual(want); // again and again, because it is half open now and then
		await expect
			.poll(() => checksOf(0), LONG)
			.toContainEqual(expect.objectContaining({ name: 'circuit-breaker', ok: false }));

		await outage.start();
		await expect.poll(async () => (await send()).status, { ...LONG, interval: 200 }).toBe(201);
		// An API server that has just begun may still fail other calls.
		await expect.poll(() => metric(gateway!, 'gateway_circuit_breaker_state{state="closed"}'), LONG).toBe(1);
		await expect.poll(allReadiness, LONG).toEqual([200, 200, 200]);
	}, 300_000);
});
