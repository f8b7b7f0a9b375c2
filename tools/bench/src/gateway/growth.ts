// What ten thousand stored requests change: memory, and the cost of a signal against a gateway that knows a hundred.
// Both gateways then start anew and are warmed alike, and are measured in turn: they differ in what is stored only.
import { alertAbout, fingerprintOf, firstRequestName, requestFor, requestsPath } from '../signal-request.ts';
import type { Arena, Gateways } from './arena.ts';
import { measureCost } from './distinct.ts';
import { freshDeployment, inParallel } from './signal-load.ts';
import { medianRatio } from './statistics.ts';

type GrowthFigures = { readonly ratio: number; readonly memoryMb: number };

const MANY = 10_000;
const FEW = 100;
const CONCURRENCY = 50;
const WARM_UP_SIGNALS = 300;
const ROUNDS = 5;
const LARGE = 'growth-large';
const SMALL = 'growth-small';

export async function measureGrowth(arena: Arena, report: (text: string) => void): Promise<GrowthFigures> {
	const memoryMb = await fillThroughOneReplica(arena, report);
	report(`growth: ${FEW} against ${MANY} requests stored`);
	const large = await arena.startGateways(LARGE, 1);
	const small = await arena.startGateways(SMALL, 1);
	for (const { load } of [large, small]) await load.distinct('warm', WARM_UP_SIGNALS, CONCURRENCY);
	await arena.api.call('DELETE', requestsPath(SMALL));
	await inParallel(FEW, CONCURRENCY, () => storeRequest(arena, SMALL));

	const rounds = [];
	for (let round = 0; round < ROUNDS; round++)
		rounds.push({ small: await measureCost(arena, small), large: await measureCost(arena, large) });
	await Promise.all([large.stop(), small.stop()]);
	const slower = medianRatio(
		rounds,
		(round) => round.large.p50,
		(round) => round.small.p50,
	);
	const more = medianRatio(
		rounds,
		(round) => round.large.callsPerSignal,
		(round) => round.small.callsPerSignal,
	);
	report(`  p50 × ${slower.toFixed(2)}, calls × ${more.toFixed(2)}`);
	return { ratio: Math.max(slower, more), memoryMb };
}

/** All of them come in as signals, and all to one replica: its memory is the highest that any would have. */
async function fillThroughOneReplica(arena: Arena, report: (text: string) => void): Promise<number> {
	const gateways = await arena.startGateways(LARGE, 1);
	const step = MANY / 4;
	for (let stored = 0; stored < MANY; stored += step) {
		report(`growth: ${stored} of ${MANY} signals taken, ${Math.round(await residentMb(gateways))} MB`);
		await gateways.load.distinct('stored', step, CONCURRENCY);
	}
	const memoryMb = await residentMb(gateways);
	await gateways.stop();
	return memoryMb;
}

async function storeRequest(arena: Arena, namespace: string): Promise<void> {
	const alert = alertAbout(freshDeployment('stored'));
	const body = requestFor(alert, firstRequestName(fingerprintOf(alert)));
	await arena.api.call('POST', requestsPath(namespace), { body });
}

/** The largest replica's, from its own metrics. */
async function residentMb({ replicas }: Gateways): Promise<number> {
	const sizes = replicas.map(async ({ metricsUrl }) => {
		const metrics = await (await fetch(metricsUrl)).text();
		return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1] ?? Number.NaN);
	});
	return Math.max(...(await Promise.all(sizes))) / 1_000_000;
}
