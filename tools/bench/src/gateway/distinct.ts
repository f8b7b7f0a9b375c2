// Different signals, one after the other and many at once, in turn with the floor and the baseline.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiFloor } from './api-floor.ts';
import type { Arena, Contestant } from './arena.ts';
import { callsDuring } from './call-count.ts';
import { expectCreated, freshDeployment, inParallel } from './signal-load.ts';
import { percentile } from './statistics.ts';

type LatencyRound = {
	readonly ours: number;
	readonly floor: number;
	readonly hop: number;
	readonly baseline: number;
};
/** Signals per second. */
type ThroughputRound = { readonly ours: number; readonly floor: number };

const SIGNALS_PER_ROUND = 40;
/** Fewer: it takes ten times as long. */
const BASELINE_SIGNALS_PER_ROUND = 12;
// What is done after an answer (the release of the lock) is over before the next signal comes.
const GAP_MS = 15;

export const THROUGHPUT_CONCURRENCY = 50;
const THROUGHPUT_SIGNALS = 500;

/** p50 of one round, in ms. */
export async function measureLatency(
	ours: Contestant,
	floor: ApiFloor,
	hop: Pick<Contestant, 'load'>,
	baseline: Contestant,
	rounds: number,
): Promise<LatencyRound[]> {
	const measured: LatencyRound[] = [];
	for (let round = 0; round < rounds; round++) {
		measured.push({
			floor: await oneByOne(SIGNALS_PER_ROUND, () => floorOnce(floor)),
			hop: await oneByOne(SIGNALS_PER_ROUND, () => sendOne(hop)),
			ours: await oneByOne(SIGNALS_PER_ROUND, () => sendOne(ours)),
			baseline: await oneByOne(BASELINE_SIGNALS_PER_ROUND, () => sendOne(baseline)),
		});
	}
	return measured;
}

export async function measureThroughput(ours: Contestant, floor: ApiFloor, rounds: number): Promise<ThroughputRound[]> {
	const measured: ThroughputRound[] = [];
	const perSecond = (ms: number) => (THROUGHPUT_SIGNALS * 1000) / ms;
	for (let round = 0; round < rounds; round++) {
		const startedAt = performance.now();
		await inParallel(THROUGHPUT_SIGNALS, THROUGHPUT_CONCURRENCY, async () => {
			const { lease } = await floor.lockAndCreate(freshDeployment('floor'));
			await floor.removeLease(lease);
		});
		const floorMs = performance.now() - startedAt;
		const oursMs = await ours.load.distinct('many', THROUGHPUT_SIGNALS, THROUGHPUT_CONCURRENCY);
		measured.push({ floor: perSecond(floorMs), ours: perSecond(oursMs) });
	}
	return measured;
}

/** What a new signal costs: the p50 of its answer in ms, and API calls. */
export async function measureCost(
	arena: Arena,
	contestant: Contestant,
	signals = SIGNALS_PER_ROUND,
): Promise<{ p50: number; callsPerSignal: number }> {
	const { value, calls } = await callsDuring(arena.auditLog, contestant, () =>
		oneByOne(signals, () => sendOne(contestant)),
	);
	return { p50: value, callsPerSignal: calls.length / signals };
}

async function oneByOne(times: number, run: () => Promise<number>): Promise<number> {
	const measured: number[] = [];
	for (let i = 0; i < times; i++) {
		measured.push(await run());
		await delay(GAP_MS);
	}
	return percentile(measured, 0.5);
}

async function sendOne({ load }: Pick<Contestant, 'load'>): Promise<number> {
	const answer = await load.send(freshDeployment('single'));
	expectCreated(answer);
	return answer.ms;
}

/** The Lease is removed after the time is taken: the gateway too answers before it releases. */
async function floorOnce(floor: ApiFloor): Promise<number> {
	const { ms, lease } = await floor.lockAndCreate(freshDeployment('single'));
	await floor.removeLease(lease);
	return ms;
}
