// The same measurement beside few and beside many finished executions: once of as many targets, and once all of one target,
// which is the one that is measured. Then a run is over at once, and the next execution has the target.
import { setTimeout as delay } from 'node:timers/promises';
import { inParallel } from '../gateway/signal-load.ts';
import { median, percentile } from '../gateway/statistics.ts';
import type { Result } from '../result.ts';
import { freshTarget, runsPath, storeFinished } from './executions.ts';
import { callsOf, type Executors, type Report, type Stage } from './executors.ts';
import { playEngine } from './played-engine.ts';
import { openStopwatch } from './stopwatch.ts';

const FEW = 100;
const MANY = 10_000;
const ROUNDS = 7;
const PER_ROUND = 20;
const REPLICAS = 3;
const GAP_MS = 25;
const POLL_MS = 10;
const ONE_TARGET = 'bench/Deployment/busy';

type Measured = { readonly ms: number; readonly calls: number };
type Shape = { readonly name: string; readonly targetOf: () => string };

const SHAPES: readonly Shape[] = [
	{ name: 'spread', targetOf: () => freshTarget('spread') },
	{ name: 'one-target', targetOf: () => ONE_TARGET },
];

export async function measureGrowth(
	stage: Stage,
	open: (namespace: string) => Promise<Executors>,
	report: Report,
): Promise<Result[]> {
	const ratios: number[] = [];
	const memory: number[] = [];
	for (const shape of SHAPES) {
		const few = await store(stage, await open(`${shape.name}-few`), shape, FEW, report);
		const many = await store(stage, await open(`${shape.name}-many`), shape, MANY, report);
		const sides = [few, many];
		for (const side of sides) await side.start(REPLICAS);
		const measures = await Promise.all(sides.map((side) => openMeasure(stage, side, shape)));
		for (const { round } of measures) await round(); // warm
		const rounds: Measured[][] = [];
		for (let i = 0; i < ROUNDS; i++) {
			const measured: Measured[] = [];
			for (const { round } of measures) measured.push(await round());
			rounds.push(measured);
		}
		const grown = (of: keyof Measured) =>
			median(rounds.map(([before, after]) => (after?.[of] ?? Number.NaN) / (before?.[of] ?? Number.NaN)));
		memory.push(await many.residentMb());
		ratios.push(grown('ms'), grown('calls'));
		report(
			`${shape.name}, ${MANY} stored: p50 × ${grown('ms').toFixed(2)}, calls × ${grown('calls').toFixed(2)}, ${memory.at(-1)?.toFixed(0)} MB`,
		);
		for (const { close } of measures) await close();
		for (const side of sides) await side.stop();
	}
	return [
		{ name: 'growth.ratio', value: Math.max(...ratios), unit: '×', target: { atMost: 1.2 } },
		{ name: 'memory.mb', value: Math.max(...memory), unit: 'MB', target: { atMost: 200 } },
	];
}

async function store({ api }: Stage, executors: Executors, { targetOf }: Shape, count: number, report: Report) {
	report(`storing ${count} finished executions in ${executors.namespace}`);
	await inParallel(count, 50, () => storeFinished(api, executors.namespace, targetOf()));
	return executors;
}

async function openMeasure(stage: Stage, executors: Executors, { targetOf }: Shape) {
	const engine = await playEngine(stage.api, executors);
	const clock = await openStopwatch(stage.api, executors);
	/** The next has the target only when the run is gone. */
	async function untilFree(): Promise<void> {
		for (;;) {
			const { items } = await stage.api.call('GET', runsPath(executors.workflows));
			if (items.length === 0) return;
			await delay(POLL_MS);
		}
	}
	return {
		async round(): Promise<Measured> {
			const { value, calls } = await callsOf(stage.auditLog, executors, async () => {
				const measured: number[] = [];
				for (let i = 0; i < PER_ROUND; i++) {
					measured.push(await clock.execute(targetOf()));
					await untilFree();
					await delay(GAP_MS);
				}
				return percentile(measured, 0.5);
			});
			return { ms: value, calls };
		},
		async close() {
			await clock.close();
			await engine.stop();
		},
	};
}
