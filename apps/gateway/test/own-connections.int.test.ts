// Calls that wait in the gateway's own pool of connections: they say nothing of the API server, and do not hold up what
// has connections of its own. Default limits.
import { setTimeout as delay } from 'node:timers/promises';
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { webhook } from './harness/alerts.ts';
import { gateRequests } from './harness/gates.ts';
import { DEFAULT_LIMITS, type Gateways, startGateways } from './harness/gateways.ts';
import { httpClient } from './http/http-client.ts';

/** More than the pool has connections, one after the other so that none is free for long. */
const STUCK = 200;
const EVERY_MS = 50;
/** Their median counts: one of them may have met a moment in which the machine stood still. */
const STRANGERS = 5;
/** Longer than two checks of the API server. */
const WATCHED_MS = 12_000;

const api = adminApi();
let gateways: Gateways;
let gateway: AppProcess;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'pool');
	gateways = await startGateways(api, namespace, { count: 1, limits: DEFAULT_LIMITS });
	gateway = gateways.processes[0]!;
	const gate = await gateRequests(api, namespace);
	for (let i = 0; i < 10 * STUCK; i++)
		void gate.hold(({ spec }) => spec.targetResource?.name.startsWith('stuck-') ?? false);
});

async function apiCheck(): Promise<{ ok: boolean; message: string } | undefined> {
	const answer = await fetch(`${gateway.healthUrl}/readyz`);
	const { checks } = (await answer.json()) as { checks: { name: string; ok: boolean; message: string }[] };
	return checks.find(({ name }) => name === 'kubernetes-api');
}

describe('a pool without a free connection', () => {
	it('the API server is not reported as away, and a token is reviewed at once', async () => {
		const endsAt = performance.now() + WATCHED_MS;
		const sending = Array.from({ length: STUCK }, async (_, i) => {
			await delay(i * EVERY_MS);
			while (performance.now() < endsAt) await gateways.send(gateway, `stuck-${i}`);
		});
		await delay(2500);
		const reviews: { status: number; ms: number }[] = [];
		for (let i = 0; i < STRANGERS; i++) {
			const startedAt = performance.now();
			const { status } = await httpClient(`unknown-${i}`)(gateway, { body: webhook('x') });
			reviews.push({ status, ms: performance.now() - startedAt });
		}
		const away = new Set<string>();
		while (performance.now() < endsAt) {
			const check = await apiCheck();
			if (check?.ok !== true) away.add(check?.message ?? 'no check');
			await delay(100);
		}
		const times = reviews.map(({ ms }) => Math.round(ms)).toSorted((a, b) => a - b);
		console.log(`strangers were answered after ${times.join(', ')} ms; reported as away: ${JSON.stringify([...away])}`);
		await Promise.all(sending);
		expect([...away]).toEqual([]);
		expect(reviews.map(({ status }) => status)).toEqual(reviews.map(() => 401));
		expect(times[Math.floor(STRANGERS / 2)]).toBeLessThan(1000);
	});
});
