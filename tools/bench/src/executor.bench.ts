// The executor against the floor (a watch event and the bare create of a PipelineRun), in one run on one API server, in turn.
// Tekton is left out: what it does with a run comes after what is measured, and would take the processors that measure.
import { setTimeout as delay } from 'node:timers/promises';
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appBundle } from '@kubernaut/testkit/app-process';
import { applyCrdsWithoutTekton } from '@kubernaut/testkit/apply';
import { startBareExecutor } from './executor/bare-executor.ts';
import { freshTarget } from './executor/executions.ts';
import { callsOf, type Executors, openExecutors, type Report, type Stage } from './executor/executors.ts';
import { measureGrowth } from './executor/growth.ts';
import { openStopwatch, type Stopwatch } from './executor/stopwatch.ts';
import { NO_AUDIT_LOG } from './gateway/arena.ts';
import { median, medianRatio, percentile } from './gateway/statistics.ts';
import type { Result } from './result.ts';

const ROUNDS = 7;
const PER_ROUND = 40;
/** What follows the create (claim, start, Event) is over before the next one comes. */
const GAP_MS = 25;
const BURST = 200;

export async function benchExecutor(report: Report): Promise<Result[]> {
	const controlPlane = await startControlPlane({ auditLog: true });
	report(controlPlane.description);
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath, 'kubernaut-bench');
	const opened: Executors[] = [];
	try {
		const { auditLog } = controlPlane;
		if (auditLog === undefined) throw new Error(NO_AUDIT_LOG);
		await applyCrdsWithoutTekton(api);
		await appBundle('workflow-executor');
		const stage: Stage = { api, auditLog, adminKubeconfig: controlPlane.kubeconfigPath };
		const open = async (namespace: string) => {
			const executors = await openExecutors(stage, namespace);
			opened.push(executors);
			return executors;
		};
		const latency = await measureLatency(stage, await open('ours'), await open('floor'), report);
		const replicas = await measureReplicas(stage, open, report);
		const growth = await measureGrowth(stage, open, report);
		return [...latency, ...replicas, ...growth];
	} finally {
		for (const executors of opened) await executors.stop();
		await api.close();
		await controlPlane.stop();
	}
}

async function measureLatency(stage: Stage, ours: Executors, floor: Executors, report: Report): Promise<Result[]> {
	await ours.start(3);
	const bare = await startBareExecutor(floor);
	const clocks = { ours: await openStopwatch(stage.api, ours), floor: await openStopwatch(stage.api, floor) };
	report('warming up');
	for (const clock of Object.values(clocks)) await oneByOne(clock);
	const rounds: { ours: number; floor: number; calls: number }[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		const floorMs = await oneByOne(clocks.floor);
		const { value, calls, kinds } = await callsOf(stage.auditLog, ours, () => oneByOne(clocks.ours));
		rounds.push({ floor: floorMs, ours: value, calls: calls / PER_ROUND });
		report(
			`round ${round}: p50 ${value.toFixed(1)} ms (floor ${floorMs.toFixed(1)}), ${(calls / PER_ROUND).toFixed(2)} calls`,
		);
		if (round === ROUNDS) report(`of ${PER_ROUND} executions: ${kinds}`);
	}
	await Promise.all(Object.values(clocks).map((clock) => clock.close()));
	await bare.stop();
	await ours.stop();
	const ratio = medianRatio(
		rounds,
		(round) => round.ours,
		(round) => round.floor,
	);
	return [
		{
			name: 'latency.p50',
			value: median(rounds.map((round) => round.ours)),
			unit: 'ms',
			floor: median(rounds.map((round) => round.floor)),
		},
		{ name: 'latencyRatio', value: ratio, unit: '× floor', target: { atMost: 2 } },
		// Create, claim, start, Event.
		{ name: 'callsPerExecution', value: median(rounds.map(({ calls }) => calls)), unit: '', target: { atMost: 4 } },
	];
}

async function measureReplicas(
	stage: Stage,
	open: (namespace: string) => Promise<Executors>,
	report: Report,
): Promise<Result[]> {
	const calls: number[] = [];
	for (const replicas of [1, 10]) {
		const executors = await open(`replicas-${replicas}`);
		await executors.start(replicas);
		const clock = await openStopwatch(stage.api, executors);
		const counted = await callsOf(stage.auditLog, executors, () =>
			Promise.all(Array.from({ length: BURST }, () => clock.execute(freshTarget('burst')))),
		);
		await clock.close();
		await executors.stop();
		calls.push(counted.calls);
		report(
			`${BURST} at once with ${replicas} replicas: ${(counted.calls / BURST).toFixed(2)} calls each (${counted.kinds})`,
		);
	}
	const [one = Number.NaN, ten = Number.NaN] = calls;
	return [{ name: 'replicas10.callsRatio', value: ten / one, unit: '×', target: { atMost: 2 } }];
}

async function oneByOne(clock: Stopwatch): Promise<number> {
	const measured: number[] = [];
	for (let i = 0; i < PER_ROUND; i++) {
		measured.push(await clock.execute(freshTarget('single')));
		await delay(GAP_MS);
	}
	return percentile(measured, 0.5);
}
