// A gateway whose log is not read: it serves on, with the limits of a new installation.
import { setTimeout as delay } from 'node:timers/promises';
import { adminApi, atTheEnd, createNamespace, openUnreadPipe, startApp } from '@kubernaut/testkit';
import { expect, it } from 'vitest';
import { metric, startGateways, statuses } from './harness/gateways.ts';

const SIGNALS = 2000;
const SENDERS = 20;
const INCIDENTS = 40;
const HEALTHY_WITHIN_MS = 1000;
const GIVEN_UP_AFTER_MS = 15_000;

it(`answers ${SIGNALS} signals and /healthz while its log is not read`, async () => {
	const api = adminApi();
	const namespace = await createNamespace(api, 'unread');
	const gateways = await startGateways(api, namespace, { count: 0 });
	const pipe = await openUnreadPipe();
	atTheEnd(() => pipe.close());
	const running = await startApp('gateway', {
		kubeconfig: gateways.kubeconfig,
		namespace,
		podName: 'gateway-0',
		stdout: pipe.writeEnd,
	});
	atTheEnd(async () => {
		running.signal('SIGKILL');
		await running.exited;
	});
	await running.waitUntilReady();

	const health: number[] = [];
	const sent = new AbortController();
	const asking = (async () => {
		while (!sent.signal.aborted) {
			const startedAt = performance.now();
			const answer = await fetch(`${running.healthUrl}/healthz`, { signal: AbortSignal.timeout(GIVEN_UP_AFTER_MS) }).catch(() => {});
			health.push(answer?.status === 200 ? performance.now() - startedAt : Infinity);
			await delay(50);
		}
	})();
	const answers: Awaited<ReturnType<typeof gateways.trySend>>[] = [];
	let signals = 0;
	await Promise.all(
		Array.from({ length: SENDERS }, async () => {
			while (signals < SIGNALS) {
				const incident = signals++ % INCIDENTS;
				const abort = AbortSignal.timeout(GIVEN_UP_AFTER_MS);
				const answer = await gateways.trySend(running, `cart-${incident}`, { abort });
				answers.push(answer);
				if (answer.status === 'lost') return; // it serves no more
			}
		}),
	);
	sent.abort();
	await asking;
	console.log(`${JSON.stringify(statuses(answers))}; slowest /healthz ${Math.round(Math.max(...health))} ms`);
	expect(statuses(answers)).toEqual({ 201: INCIDENTS, 202: SIGNALS - INCIDENTS });
	expect(Math.max(...health)).toBeLessThan(HEALTHY_WITHIN_MS);
	expect(await metric(running, 'gateway_log_lines_dropped_total')).toBeGreaterThanOrEqual(0);
	// Its reader is back: what was kept arrives.
	const log = await pipe.read((text) => text.split('"msg":"answered"').length > SIGNALS / 2, 10_000);
	expect(log.split('"msg":"answered"').length).toBeGreaterThan(SIGNALS / 2);
});
