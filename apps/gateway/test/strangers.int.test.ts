// Strangers: tokens that no one knows, at full speed, beside a sender that the gateway knows. Default limits.
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Gateways, metric, startGateways } from './harness/gateways.ts';
import { startStrangers } from './harness/stranger-load.ts';
import { PROMETHEUS } from './http/routes.ts';

const STRANGERS = 400;
/** In turns, and the best one counts: whatever else the machine does makes it worse, and never better. */
const ROUNDS = 3;
const ROUND_MS = 5000;
/** Of the sender's own, undisturbed. */
const MAX_RATIO = 2;

const api = adminApi();
let gateways: Gateways;
let gateway: AppProcess;

beforeAll(async () => {
	gateways = await startGateways(api, await createNamespace(api, 'strangers'), { count: 1, limits: DEFAULT_LIMITS });
	gateway = gateways.processes[0]!;
});

type Sample = { readonly ms: number; readonly status: number };

/** One signal after the other. */
async function measure(samples: Sample[], ms: number): Promise<void> {
	const endsAt = performance.now() + ms;
	while (performance.now() < endsAt) {
		const startedAt = performance.now();
		const { status } = await gateways.send(gateway, 'known');
		samples.push({ ms: performance.now() - startedAt, status });
	}
}

function percentile(samples: readonly Sample[], share: number): number {
	const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

function describeTimes(samples: readonly Sample[]): string {
	return `p50 ${percentile(samples, 0.5).toFixed(1)} ms, p99 ${percentile(samples, 0.99).toFixed(1)} ms of ${samples.length}`;
}

describe('strangers at full speed', () => {
	it(`${STRANGERS} strangers do not slow down a sender that is known, nor open the breaker`, async () => {
		await gateways.sendUntilStored(gateway, 'known');
		await measure([], ROUND_MS / 2); // warm
		const ratios: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			const [alone, beside]: [Sample[], Sample[]] = [[], []];
			await measure(alone, ROUND_MS);
			const strangers = startStrangers({ strangers: STRANGERS, url: gateway.apiUrl, path: PROMETHEUS });
			await measure(beside, ROUND_MS);
			const counts = await strangers.counts();
			await strangers.stop();
			console.log(
				`alone ${describeTimes(alone)}; beside strangers ${describeTimes(beside)}; strangers ${JSON.stringify(counts)}`,
			);
			ratios.push(percentile(beside, 0.99) / percentile(alone, 0.99));
			expect(new Set(beside.map(({ status }) => status))).toEqual(new Set([202]));
			expect(Object.keys(counts).filter((status) => !['401', '503'].includes(status))).toEqual([]);
			expect(counts['401']).toBeGreaterThan(0);
			expect(await metric(gateway, 'gateway_circuit_breaker_state{state="closed"}')).toBe(1);
		}
		expect(Math.min(...ratios)).toBeLessThan(MAX_RATIO);
	});
});
