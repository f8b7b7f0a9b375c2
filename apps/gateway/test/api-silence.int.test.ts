// An API server that keeps its connections and answers nothing, with default limits: callers are answered soon all the
// same, on every gateway, and are served again when it goes on.
import { setTimeout as delay } from 'node:timers/promises';
import { appKubeconfig, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Gateways, LONG, metric, startGateways, statuses } from './harness/gateways.ts';
import { expectStored, isStored, type Sent } from './harness/load.ts';
import { type Outage, prepareOutage } from './harness/outage.ts';

const SILENCE_MS = 36_000;
const MAX_WAIT_MS = 5000;
/** After the silence, until a gateway stores again. */
const MAX_RECOVERY_MS = 5000;
/** From then on a caller does not wait for the API server; each gateway lets a try pass now and then. */
const NOTICED_MS = 5000;
const CALLERS = 12;
const PAUSE_MS = 200;

/** Longer than a call may take, and shorter than the deadline of a request. */
const STOOD_STILL_MS = 5500;
const UNDER_WAY_MS = 700;

type Exchange = Sent & { readonly startedAt: number; readonly ms: number; readonly status: number };

let outage: Outage;
let gateways: Gateways;

beforeAll(async () => {
	outage = await prepareOutage();
	const { api, adminKubeconfig } = outage;
	const namespace = await createNamespace(api, 'silence');
	const kubeconfig = await outage.exposed(await appKubeconfig(api, 'gateway', namespace, adminKubeconfig));
	gateways = await startGateways(api, namespace, { limits: DEFAULT_LIMITS, kubeconfig, adminKubeconfig });
});

/** Of each gateway half are callers of one hot incident, half of an incident each. */
function startCallers() {
	const history: Exchange[] = [];
	const stopping = new AbortController();
	const running = gateways.processes.flatMap((to) =>
		Array.from({ length: CALLERS }, async (_, i) => {
			while (!stopping.signal.aborted) {
				const startedAt = performance.now();
				const deployment = i % 2 === 0 ? 'hot' : `own-${to.podName}-${i}`;
				const answer = await gateways.send(to, deployment);
				history.push({ to, deployment, answer, startedAt, ms: performance.now() - startedAt, status: answer.status });
				await delay(PAUSE_MS);
			}
		}),
	);
	return {
		history,
		async stop() {
			stopping.abort();
			await Promise.all(running);
		},
	};
}

describe('an API server that goes silent', () => {
	it(`for ${SILENCE_MS / 1000} s: no caller waits longer than ${MAX_WAIT_MS / 1000} s, and service returns`, async () => {
		const { history, stop } = startCallers();
		// All callers are at it, and served.
		const served = () =>
			new Set(history.filter(({ answer }) => isStored(answer)).map(({ to, deployment }) => to.podName + deployment));
		await expect.poll(() => served().size, LONG).toBe(gateways.processes.length * (1 + CALLERS / 2));
		await outage.pause();
		const silentAt = performance.now();
		await delay(SILENCE_MS);
		const open = await Promise.all(
			gateways.processes.map((of) => metric(of, 'gateway_circuit_breaker_state{state="closed"}')),
		);
		outage.resume();
		const resumedAt = performance.now();
		await delay(2 * MAX_RECOVERY_MS);
		await stop();

		const silent = history.filter(({ startedAt }) => startedAt >= silentAt && startedAt < resumedAt);
		const noticed = silent.filter(({ startedAt }) => startedAt > silentAt + NOTICED_MS);
		const late = silent.filter(({ ms }) => ms > MAX_WAIT_MS);
		const atOnce = noticed.filter(({ ms }) => ms < 1000);
		console.log(
			`${silent.length} callers during the silence; ${late.length} waited longer than ${MAX_WAIT_MS} ms; ` +
				`of ${noticed.length} after ${NOTICED_MS} ms ${atOnce.length} were answered within a second; ` +
				`the longest wait was ${Math.round(Math.max(...silent.map(({ ms }) => ms)))} ms`,
		);
		expect(late.map(({ ms }) => Math.round(ms))).toEqual([]);
		expect(open).toEqual([0, 0, 0]);
		for (const of of gateways.processes) {
			const mine = noticed.filter(({ to }) => to === of);
			expect(mine.length).toBeGreaterThan(CALLERS * 10);
			expect(mine.filter(({ ms }) => ms < 1000).length / mine.length).toBeGreaterThan(0.9);
			const stored = history.filter(
				({ to, startedAt, answer }) => to === of && startedAt > resumedAt && isStored(answer),
			);
			const recoveredMs = Math.min(...stored.map(({ startedAt, ms }) => startedAt + ms)) - resumedAt;
			console.log(`${of.podName} stores again after ${Math.round(recoveredMs)} ms`);
			expect(recoveredMs).toBeLessThan(MAX_RECOVERY_MS);
		}
		for (const { answer: deferred } of silent.filter(({ answer }) => !isStored(answer)))
			expect(deferred).toMatchObject({
				status: expect.toBeOneOf([503, 504]),
				retryAfter: expect.stringMatching(/^[1-9]/),
			});
		expectStored(history, await gateways.requests());
	});

	it('a gateway that stood still reads the answers that are there before it takes a call for timed out', async () => {
		const [gateway] = gateways.processes;
		const unanswered = async () => {
			const lines = (await (await fetch(gateway!.metricsUrl)).text()).split('\n');
			const errors = lines.filter(
				(line) => line.startsWith('gateway_api_requests_total') && line.includes('code="error"'),
			);
			return errors.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
		};
		expect((await gateways.sendUntilStored(gateway!, 'before')).status).toBe(201);
		const before = await unanswered();
		await outage.pause();
		const sending = Array.from({ length: 20 }, (_, i) => gateways.send(gateway!, `stood-still-${i}`));
		await delay(UNDER_WAY_MS);
		await gateway!.pause();
		outage.resume();
		await delay(STOOD_STILL_MS);
		gateway!.signal('SIGCONT');
		const answers = await Promise.all(sending);
		console.log(
			`after a stop of ${STOOD_STILL_MS} ms: ${JSON.stringify(statuses(answers))}, ${(await unanswered()) - before} calls without an answer`,
		);
		expect(statuses(answers)).toEqual({ 201: 20 });
		expect(await unanswered()).toBe(before);
	});
});
