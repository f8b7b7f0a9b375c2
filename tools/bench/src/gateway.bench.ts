// The gateway against the pattern of ADR-052 (baseline/) and against the bare API calls, in one run on one API server.
// Contestants take turns and are compared within a turn: the machine is noisy, and the same for all.
import { Arena, type Contestant, type Gateways, REPLICAS } from './gateway/arena.ts';
import { measureCost, measureLatency, measureThroughput, THROUGHPUT_CONCURRENCY } from './gateway/distinct.ts';
import { measureGrowth } from './gateway/growth.ts';
import { countJoinLookUps, measureOwners } from './gateway/owners.ts';
import { describeReplicas, measureReplicas } from './gateway/replicas.ts';
import { median, medianRatio } from './gateway/statistics.ts';
import { describeStorm, measureStorm, type StormFigures, stormFloorMs } from './gateway/storm.ts';
import { benchLarge } from './large.bench.ts';
import { passes, type Result } from './result.ts';

type Report = (text: string) => void;

const STORM_ROUNDS = 5;
const LATENCY_ROUNDS = 7;
const THROUGHPUT_ROUNDS = 5;
const REPLICAS_MS = 5000;
const CALLERS_PER_REPLICA = 50;
const FAR_MS = 5;
/** Fewer callers make shorter rounds, of which the distance is then a large part. */
const FAR_CALLERS_PER_REPLICA = 10;
const WARM_UP_SIGNALS = 300;
const WARM_UP_CONCURRENCY = 30;

export async function benchGateway(report: Report): Promise<Result[]> {
	const results = await benchOnOneApiServer(report);
	const large = await benchLarge(report); // on API servers of its own, which it restarts
	const ready = large.every(passes) ? 1 : 0;
	return [...results, { name: 'large.ready', value: ready, unit: '', target: { exactly: 1 } }];
}

async function benchOnOneApiServer(report: Report): Promise<Result[]> {
	const arena = await Arena.open(report);
	try {
		report(`starting ${REPLICAS} gateways and ${REPLICAS} of the baseline`);
		const ours = await arena.startGateways('ours', REPLICAS);
		const baseline = await arena.startBaseline('baseline', REPLICAS, true);
		for (const { load } of [ours, baseline]) await load.distinct('warm', WARM_UP_SIGNALS, WARM_UP_CONCURRENCY);

		const storms = await benchStorms(arena, ours, baseline, report);
		const distinct = await benchDistinct(arena, ours, baseline, report);
		const owners = await benchOwners(arena, ours, report);
		await baseline.stop();
		const replicas = await benchReplicas(arena, ours, report);
		await ours.stop();
		const { ratio, memoryMb } = await measureGrowth(arena, report);
		return [
			...storms,
			...distinct,
			...owners,
			...replicas,
			{ name: 'growth.ratio', value: ratio, unit: '×', target: { atMost: 1.2 } },
			{ name: 'memory.mb', value: memoryMb, unit: 'MB', target: { atMost: 150 } },
			{ name: 'startup.ms', value: median(ours.startupMs), unit: 'ms', target: { atMost: 1000 } },
		];
	} finally {
		await arena.close();
	}
}

/** One incident, and callers that never pause: more replicas, and one that is further from the API server. */
async function benchReplicas(arena: Arena, three: Gateways, report: Report): Promise<Result[]> {
	const measure = async (what: string, gateways: Gateways, callersPerReplica: number) => {
		const figures = await measureReplicas(arena, gateways, { incidents: 1, callersPerReplica, forMs: REPLICAS_MS });
		report(`${what}: ${describeReplicas(figures)}`);
		return figures;
	};
	const few = await measure('3 replicas', three, CALLERS_PER_REPLICA);
	const many = await arena.startGateways('ten', 10);
	const ten = await measure('10 replicas', many, CALLERS_PER_REPLICA);
	await many.stop();
	const withFar = await arena.startGateways('far', 3, { lastIsFartherMs: FAR_MS });
	const far = await measure(`3 replicas, one ${FAR_MS} ms further`, withFar, FAR_CALLERS_PER_REPLICA);
	await withFar.stop();
	const callsRatio = ten.callsPerSignal / few.callsPerSignal;
	return [
		{ name: 'replicas10.callsRatio', value: callsRatio, unit: '× of 3', target: { atMost: 1.5 } },
		{ name: 'replicas10.notServed', value: ten.notServed, unit: '', target: { exactly: 0 } },
		{ name: 'far.notServed', value: far.notServed, unit: '', target: { exactly: 0 } },
	];
}

async function benchStorms(arena: Arena, ours: Gateways, baseline: Contestant, report: Report): Promise<Result[]> {
	const floor = await arena.openFloor('storm-floor', 3);
	const hops = await arena.startBareHops('storm-floor', REPLICAS);
	for (const contestant of [baseline, ours]) await measureStorm(arena, contestant, 100); // warm
	await stormFloorMs(floor, hops, 100);
	const rounds: { ours: StormFigures; baseline: StormFigures; floorMs: number }[] = [];
	for (let round = 1; round <= STORM_ROUNDS; round++) {
		const figures = {
			baseline: await measureStorm(arena, baseline, 100),
			ours: await measureStorm(arena, ours, 100),
			floorMs: await stormFloorMs(floor, hops, 100),
		};
		rounds.push(figures);
		report(
			`storm of 100, round ${round}\n  baseline: ${describeStorm(figures.baseline)}\n  ours: ${describeStorm(figures.ours)}`,
		);
	}
	const large: StormFigures[] = [];
	for (let round = 1; round <= STORM_ROUNDS; round++) {
		const figures = await measureStorm(arena, ours, 1000);
		large.push(figures);
		report(`storm of 1,000, round ${round}\n  ours: ${describeStorm(figures)}`);
	}
	const of = (pick: (storm: StormFigures) => number) => rounds.map((round) => pick(round.ours));
	const baselineOf = (pick: (storm: StormFigures) => number) => rounds.map((round) => pick(round.baseline));
	const worst = (values: number[]) => Math.max(...values);
	return [
		{
			name: 'storm100.requestsCreated',
			value: worst(of((storm) => storm.requestsCreated)),
			unit: '',
			target: { exactly: 1 },
			baseline: worst(baselineOf((storm) => storm.requestsCreated)),
		},
		{
			name: 'storm100.uncounted',
			value: worst(of((storm) => Math.abs(100 - storm.occurrences))),
			unit: '',
			target: { exactly: 0 },
			baseline: worst(baselineOf((storm) => Math.abs(100 - storm.occurrences))),
		},
		{
			name: 'storm100.failed',
			value: worst(of((storm) => storm.failed)),
			unit: '',
			target: { exactly: 0 },
			baseline: worst(baselineOf((storm) => storm.failed)),
		},
		{
			name: 'storm100.callsPerSignal',
			value: median(of((storm) => storm.callsPerSignal)),
			unit: '',
			target: { atMost: 0.2 },
			baseline: median(baselineOf((storm) => storm.callsPerSignal)),
		},
		{
			name: 'storm100.lastAnswer',
			value: median(of((storm) => storm.lastAnswerMs)),
			unit: 'ms',
			baseline: median(baselineOf((storm) => storm.lastAnswerMs)),
			floor: median(rounds.map(({ floorMs }) => floorMs)),
		},
		{
			name: 'storm100.speedup',
			value: medianRatio(
				rounds,
				(round) => round.baseline.lastAnswerMs,
				(round) => round.ours.lastAnswerMs,
			),
			unit: '×',
			target: { atLeast: 20 },
		},
		{
			name: 'storm1000.callsPerSignal',
			value: median(large.map((storm) => storm.callsPerSignal)),
			unit: '',
			target: { atMost: 0.03 },
		},
		{ name: 'storm1000.lastAnswer', value: median(large.map((storm) => storm.lastAnswerMs)), unit: 'ms' },
	];
}

/** Alerts about pods of a Deployment against alerts that name it. */
async function benchOwners(arena: Arena, ours: Gateways, report: Report): Promise<Result[]> {
	report('alerts about pods, whose owners are looked up');
	const rounds = await measureOwners(arena, ours, LATENCY_ROUNDS);
	const joinLookUps = await countJoinLookUps(arena, ours);
	return [
		{
			name: 'owner.p50',
			value: median(rounds.map(({ owned }) => owned)),
			unit: 'ms',
			floor: median(rounds.map(({ named }) => named)),
		},
		{
			name: 'owner.latencyRatio',
			value: medianRatio(
				rounds,
				({ owned }) => owned,
				({ named }) => named,
			),
			unit: '× without',
			target: { atMost: 1.3 },
		},
		{
			name: 'owner.joinRatio',
			value: medianRatio(
				rounds,
				({ ownedJoin }) => ownedJoin,
				({ namedJoin }) => namedJoin,
			),
			unit: '× without',
		},
		{ name: 'owner.joinLookUps', value: joinLookUps, unit: '', target: { exactly: 0 } },
	];
}

async function benchDistinct(arena: Arena, ours: Contestant, baseline: Contestant, report: Report): Promise<Result[]> {
	const floor = await arena.openFloor('floor', THROUGHPUT_CONCURRENCY);
	const hop = await arena.startBareHops('hop', REPLICAS);
	await measureThroughput(ours, floor, 1); // warm
	await hop.load.distinct('warm', WARM_UP_SIGNALS, 1);
	report('distinct signals, one after the other');
	const { callsPerSignal } = await measureCost(arena, ours);
	const { callsPerSignal: baselineCalls } = await measureCost(arena, baseline);
	const latency = await measureLatency(ours, floor, hop, baseline, LATENCY_ROUNDS);
	report(`distinct signals, ${THROUGHPUT_CONCURRENCY} at once`);
	const throughput = await measureThroughput(ours, floor, THROUGHPUT_ROUNDS);
	return [
		{
			name: 'distinct.callsPerSignal',
			value: callsPerSignal,
			unit: '',
			target: { exactly: 3 },
			baseline: baselineCalls,
			floor: 3,
		},
		{
			name: 'distinct.p50',
			value: median(latency.map((round) => round.ours)),
			unit: 'ms',
			baseline: median(latency.map((round) => round.baseline)),
			floor: median(latency.map((round) => round.floor)),
		},
		{
			name: 'distinct.latencyRatio',
			value: medianRatio(
				latency,
				(round) => round.ours,
				(round) => round.floor,
			),
			unit: '× floor',
			target: { atMost: 1.3 },
		},
		{
			name: 'distinct.hopRatio',
			value: medianRatio(
				latency,
				(round) => round.ours,
				(round) => round.hop,
			),
			unit: '× bare hop',
			target: { atMost: 1.3 },
		},
		{
			name: 'bareHop.latencyRatio',
			value: medianRatio(
				latency,
				(round) => round.hop,
				(round) => round.floor,
			),
			unit: '× floor',
		},
		{
			name: 'distinct.speedup',
			value: medianRatio(
				latency,
				(round) => round.baseline,
				(round) => round.ours,
			),
			unit: '×',
			target: { atLeast: 5 },
		},
		{
			name: 'distinct.throughput',
			value: median(throughput.map((round) => round.ours)),
			unit: '/s',
			floor: median(throughput.map((round) => round.floor)),
		},
		{
			name: 'distinct.throughputRatio',
			value: medianRatio(
				throughput,
				(round) => round.ours,
				(round) => round.floor,
			),
			unit: '× floor',
			target: { atLeast: 0.6 },
		},
	];
}
