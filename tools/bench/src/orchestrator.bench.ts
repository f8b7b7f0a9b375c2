// The orchestrator against the floor (a watch event and the bare writes), in one run on one API server, in turn.
import { setTimeout as delay } from 'node:timers/promises';
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appBundle } from '@kubernaut/testkit/app-process';
import { applyCrds } from '@kubernaut/testkit/apply';
import { NO_AUDIT_LOG } from './gateway/arena.ts';
import { freshDeployment, inParallel } from './gateway/signal-load.ts';
import { median, medianRatio, percentile } from './gateway/statistics.ts';
import { startBareOrchestrator } from './orchestrator/bare-orchestrator.ts';
import { measureFinishing } from './orchestrator/finishing.ts';
import { type Orchestra, openOrchestra } from './orchestrator/orchestra.ts';
import { measurePausing } from './orchestrator/pausing.ts';
import { measureRefused } from './orchestrator/refused.ts';
import { callsOf, type Open, type Report, type Stage } from './orchestrator/stage.ts';
import { openStopwatch, type Stopwatch } from './orchestrator/stopwatch.ts';
import type { Result } from './result.ts';
import { alertAbout, fingerprintOf, firstRequestName, requestFor, requestsPath } from './signal-request.ts';

type Round = { readonly p50: number; readonly p95: number };

const ROUNDS = 7;
const PER_ROUND = 40;
/** What follows the creation (status, Event, release) is over before the next one comes. */
const GAP_MS = 25;
const BURST = 200;
const STORED = 10_000;

export async function benchOrchestrator(report: Report): Promise<Result[]> {
	const controlPlane = await startControlPlane({ auditLog: true });
	report(controlPlane.description);
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath, 'kubernaut-bench');
	const opened: Orchestra[] = [];
	try {
		const { auditLog } = controlPlane;
		if (auditLog === undefined) throw new Error(NO_AUDIT_LOG);
		await applyCrds(api);
		await appBundle('orchestrator');
		const stage = { api, auditLog, adminKubeconfig: controlPlane.kubeconfigPath };
		const open = async (namespace: string, replicas: number) => {
			const orchestra = await openOrchestra(api, namespace, controlPlane.kubeconfigPath);
			opened.push(orchestra);
			await orchestra.start(replicas);
			return orchestra;
		};
		const latency = await measureLatency(stage, await open('ours', 3), report);
		await opened.at(-1)?.stop();
		const replicas = await measureReplicas(stage, open, report);
		const growth = await measureGrowth(stage, open, report);
		const finishing = await measureFinishing(stage, open, report);
		const refused = await measureRefused(stage, open, report);
		const pausing = await measurePausing(stage, open, report);
		return [...latency, ...replicas, ...growth, ...finishing, ...refused, ...pausing];
	} finally {
		for (const orchestra of opened) await orchestra.stop();
		await api.close();
		await controlPlane.stop();
	}
}

async function measureLatency(stage: Stage, ours: Orchestra, report: Report): Promise<Result[]> {
	const floor = await openOrchestra(stage.api, 'floor', stage.adminKubeconfig);
	const bare = await startBareOrchestrator(floor.identity, floor.namespace);
	const clocks = {
		ours: await openStopwatch(stage.api, ours.identity, ours.namespace),
		floor: await openStopwatch(stage.api, floor.identity, floor.namespace),
	};
	report('warming up');
	for (const clock of Object.values(clocks)) await oneByOne(clock, PER_ROUND);
	const rounds: { ours: Round; floor: Round; calls: number }[] = [];
	for (let round = 1; round <= ROUNDS; round++) {
		const floorRound = await oneByOne(clocks.floor, PER_ROUND);
		const { value, calls } = await callsOf(stage.auditLog, ours, () => oneByOne(clocks.ours, PER_ROUND));
		rounds.push({ floor: floorRound, ours: value, calls: calls / PER_ROUND });
		report(
			`round ${round}: p50 ${value.p50.toFixed(1)} ms (floor ${floorRound.p50.toFixed(1)}), p95 ${value.p95.toFixed(1)} ms (floor ${floorRound.p95.toFixed(1)}), ${(calls / PER_ROUND).toFixed(2)} calls`,
		);
	}
	await Promise.all(Object.values(clocks).map((clock) => clock.close()));
	await bare.stop();
	const ratio = (of: keyof Round) =>
		medianRatio(
			rounds,
			(round) => round.ours[of],
			(round) => round.floor[of],
		);
	const both = (of: keyof Round) => ({
		value: median(rounds.map((round) => round.ours[of])),
		unit: 'ms',
		floor: median(rounds.map((round) => round.floor[of])),
	});
	return [
		{ name: 'latency.p50', ...both('p50') },
		{ name: 'latency.p95', ...both('p95') },
		{ name: 'latencyRatio.p50', value: ratio('p50'), unit: '× floor', target: { atMost: 3 } },
		{ name: 'latencyRatio.p95', value: ratio('p95'), unit: '× floor', target: { atMost: 3 } },
		{ name: 'latencyRatio', value: Math.max(ratio('p50'), ratio('p95')), unit: '× floor', target: { atMost: 3 } },
		// Six, and a look at the pause switch before the execution is made.
		{ name: 'callsPerRemediation', value: median(rounds.map(({ calls }) => calls)), unit: '', target: { atMost: 7 } },
	];
}

async function measureReplicas(stage: Stage, open: Open, report: Report) {
	const calls: number[] = [];
	for (const replicas of [1, 10]) {
		const orchestra = await open(`replicas-${replicas}`, replicas);
		const clock = await openStopwatch(stage.api, orchestra.identity, orchestra.namespace);
		const counted = await callsOf(stage.auditLog, orchestra, () =>
			Promise.all(Array.from({ length: BURST }, () => clock.remediate(freshDeployment('burst')))),
		);
		await clock.close();
		await orchestra.stop();
		calls.push(counted.calls);
		report(`${BURST} at once with ${replicas} replicas: ${(counted.calls / BURST).toFixed(2)} calls each`);
	}
	const [one = Number.NaN, ten = Number.NaN] = calls;
	return [{ name: 'replicas10.callsRatio', value: ten / one, unit: '×', target: { atMost: 2 } }] satisfies Result[];
}

/** The same measurement beside few and beside many stored requests, which are finished and known to the replicas. */
async function measureGrowth(stage: Stage, open: Open, report: Report) {
	for (const [namespace, stored] of [
		['few', 100],
		['many', STORED],
	] as const) {
		report(`storing ${stored} finished requests`);
		const orchestra = await openOrchestra(stage.api, namespace, stage.adminKubeconfig);
		await inParallel(stored, 50, () => storeFinished(stage.api, orchestra.namespace));
	}
	const few = await open('few', 3);
	const many = await open('many', 3);
	const clocks = {
		few: await openStopwatch(stage.api, few.identity, few.namespace),
		many: await openStopwatch(stage.api, many.identity, many.namespace),
	};
	for (const clock of Object.values(clocks)) await oneByOne(clock, PER_ROUND);
	const rounds = [];
	for (let round = 0; round < ROUNDS; round++)
		rounds.push({
			few: await callsOf(stage.auditLog, few, () => oneByOne(clocks.few, PER_ROUND)),
			many: await callsOf(stage.auditLog, many, () => oneByOne(clocks.many, PER_ROUND)),
		});
	await Promise.all(Object.values(clocks).map((clock) => clock.close()));
	const memory = await many.residentMb();
	const slower = medianRatio(
		rounds,
		(round) => round.many.value.p50,
		(round) => round.few.value.p50,
	);
	const more = medianRatio(
		rounds,
		(round) => round.many.calls,
		(round) => round.few.calls,
	);
	report(`with ${STORED} stored: p50 × ${slower.toFixed(2)}, calls × ${more.toFixed(2)}, ${memory.toFixed(0)} MB`);
	return [
		{ name: 'growth.ratio', value: Math.max(slower, more), unit: '×', target: { atMost: 1.2 } },
		{ name: 'memory.mb', value: memory, unit: 'MB', target: { atMost: 200 } },
	] satisfies Result[];
}

async function storeFinished(api: KubeApi, namespace: string): Promise<void> {
	const alert = alertAbout(freshDeployment('stored'));
	const name = firstRequestName(fingerprintOf(alert));
	await api.call('POST', requestsPath(namespace), { body: requestFor(alert, name) });
	const now = new Date().toISOString();
	const status = { overallPhase: 'Cancelled', outcome: 'Resolved', startTime: now, completedAt: now };
	await api.call('PATCH', `${requestsPath(namespace)}/${name}/status`, {
		body: { status },
		contentType: 'application/merge-patch+json',
	});
}

async function oneByOne(clock: Stopwatch, times: number): Promise<Round> {
	const measured: number[] = [];
	for (let i = 0; i < times; i++) {
		measured.push(await clock.remediate(freshDeployment('single')));
		await delay(GAP_MS);
	}
	return { p50: percentile(measured, 0.5), p95: percentile(measured, 0.95) };
}
