// Callers that send the next signal when the last one was answered, for a while; what each of them saw, and how long it
// waited. A caller that was not served waits as its Retry-After asks.
import { setTimeout as delay } from 'node:timers/promises';
import type { AppProcess } from '@kubernaut/testkit';
import { type Answer, type Gateways, type Lost } from './gateways.ts';
import { isStored } from './load.ts';

export type Exchange = { readonly to: AppProcess; readonly answer: Answer | Lost; readonly ms: number };
export type ClosedLoopOptions = {
	readonly callersPerReplica: number;
	readonly forMs: number;
	readonly deployment: string;
};

const RETRY_MS = 1000;

export async function closedLoop(
	gateways: Gateways,
	{ callersPerReplica, forMs, deployment }: ClosedLoopOptions,
): Promise<Exchange[]> {
	const exchanges: Exchange[] = [];
	const endsAt = performance.now() + forMs;
	async function call(to: AppProcess): Promise<void> {
		while (performance.now() < endsAt) {
			const startedAt = performance.now();
			const answer = await gateways.trySend(to, deployment);
			exchanges.push({ to, answer, ms: performance.now() - startedAt });
			if (!isStored(answer)) await delay(RETRY_MS);
		}
	}
	const callers = gateways.processes.flatMap((to) => Array.from({ length: callersPerReplica }, () => call(to)));
	await Promise.all(callers);
	return exchanges;
}

/** The time within which this share of them was answered. */
export function answeredWithin(exchanges: readonly Exchange[], share: number): number {
	const times = exchanges.map(({ ms }) => ms).toSorted((a, b) => a - b);
	return times[Math.ceil(share * times.length) - 1] ?? Number.NaN;
}

/** Calls to the API server that signals were the reason of, by the replicas' own metrics; what runs on its own is left out. */
export async function callsForSignals({ processes }: Gateways): Promise<number> {
	const each = await Promise.all(processes.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()));
	let calls = 0;
	for (const line of each.join('\n').split('\n')) {
		const [, verb, resource, value] = CALLS_SAMPLE.exec(line) ?? [];
		if (verb === undefined || resource === undefined || verb === 'watch' || verb === 'list') continue;
		if (resource === 'leases' || resource.startsWith('remediationrequests')) calls += Number(value);
	}
	return calls;
}

const CALLS_SAMPLE = /^gateway_api_requests_total\{verb="(\w+)",resource="([^"]+)",code="\w+"\} (\d+)$/;
