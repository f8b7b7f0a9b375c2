// Faults at random moments, on real Tekton: executors killed, executors that stand still until all others are done, the API
// server killed and started again. Never are two runs of one target started and not dead, no execution is started twice, every
// execution ends, and nothing is left behind.
// `npm run robustness -- executor --rounds 50` runs many rounds; `npm test` one of each fault. KUBERNAUT_SEED repeats a run's
// choices (not its timing).
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { partSwitch, type StoredChange, StoredHistory } from '@kubernaut/control-plane';
import { atTheEnd } from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { WorkflowExecution } from '../src/generated/workflow-execution.ts';
import { eventually } from './harness/eventually.ts';
import { Pipelines } from './harness/pipelines.ts';
import { judgeHistory, type StoredKinds, storedKinds } from './harness/run-promises.ts';
import { openWorld, type World } from './harness/world.ts';

const ASKED_ROUNDS = process.env['KUBERNAUT_ROBUSTNESS_ROUNDS'];
const ROUNDS = Number(ASKED_ROUNDS ?? 3);
const SEED = Number(process.env['KUBERNAUT_SEED'] ?? Math.floor(Math.random() * 1e9));
const REPLICAS = 3;
const ON_ONE_TARGET = 10;
const TARGETS = 10;
/** From the first execution that was stored on: while runs are made, claimed, started, ended and removed. */
const STRIKES_WITHIN_MS = 6000;
// Clients of Go (Tekton, KWOK, controllers) wait up to 30 s between tries, and longer the more often the API server was away.
const PATIENCE_MS = 180_000;
const OVER: readonly string[] = ['Completed', 'Failed', 'Skipped'];

const random = createRandom(SEED);
const { directory } = inject('controlPlane');
let world: World;
let pipelines: Pipelines;
let history: StoredHistory;
let kinds: StoredKinds;
let pods = 0;

beforeAll(async () => {
	console.log(`KUBERNAUT_SEED=${SEED}`);
	world = await openWorld('robustness', 0, { tekton: 'real', recorded: false });
	kinds = storedKinds(world.namespace, world.workflows);
	history = await StoredHistory.start(directory ?? '', Object.values(kinds));
	atTheEnd(() => history.stop());
	pipelines = new Pipelines(world);
	await pipelines.prepare();
	await pipelines.create('quick', { play: { durationMs: 300 } });
	await pipelines.create('slow', { play: { durationMs: 3000, stopsAfterMs: 500 } });
	await Promise.all(Array.from({ length: REPLICAS }, startReplica));
});

async function startReplica(): Promise<void> {
	await world.start(`executor-${pods++}`);
}

/** Each answers with what ends it, when all executions are over. */
const FAULTS: Readonly<Record<string, () => Promise<() => void>>> = {
	async 'an executor is killed'() {
		const [killed] = world.processes.splice(Math.floor(random() * REPLICAS), 1);
		killed?.signal('SIGKILL');
		await startReplica();
		return () => {};
	},
	async 'an executor stands still until the others are done'() {
		const paused = world.processes[Math.floor(random() * REPLICAS)];
		await paused?.pause();
		return () => paused?.signal('SIGCONT');
	},
	async 'the API server is restarted'() {
		const apiServer = partSwitch(directory ?? '', 'kube-apiserver');
		await apiServer.stop('SIGKILL'); // on SIGTERM it would wait a minute for the watches
		await apiServer.start();
		const startedAt = performance.now();
		await Promise.all(world.processes.map((executor) => executor.waitUntilReady(PATIENCE_MS)));
		console.log(`executors were ready ${seconds(performance.now() - startedAt)} after the API server`);
		return () => {};
	},
};

describe('faults at random moments', () => {
	const names = Object.keys(FAULTS);
	it.each(Array.from({ length: ROUNDS }, (_, round) => ({ round, fault: names[round % names.length] ?? '' })))(
		'round $round: $fault',
		async ({ round, fault }) => {
			const startedAt = performance.now();
			const firstChange = history.changes.length;
			const pipeline = (i: number) => ({ pipelineRef: { name: i % 3 === 0 ? 'slow' : 'quick' } });
			const creates = [
				...Array.from({ length: ON_ONE_TARGET }, (_, i) =>
					world.createExecution(`shop/Deployment/shared-${round}`, pipeline(i)),
				),
				...Array.from({ length: TARGETS }, (_, i) =>
					world.createExecution(`shop/Pod/single-${round}-${i}`, pipeline(i)),
				),
			];
			const strikesAfterMs = random() * STRIKES_WITHIN_MS;
			const striking = Promise.any(creates)
				.then(() => delay(strikesAfterMs))
				.then(() => FAULTS[fault]?.());
			const [answers, undo] = await Promise.all([Promise.allSettled(creates), striking]);
			const taken = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
			// Some may be rejected by an API server that is away.
			const fewest = fault === 'the API server is restarted' ? 1 : creates.length;
			expect(taken.length).toBeGreaterThanOrEqual(fewest);
			const ended = await untilOver();
			const endedAt = performance.now();
			undo?.();
			await nothingIsLeft();
			await removeAll(ended);
			const removedAt = performance.now();

			const all = new Set(ended.map(({ metadata }) => metadata.uid));
			expect(taken.filter(({ metadata }) => !all.has(metadata.uid))).toEqual([]);
			await history.caughtUp();
			const { broken, starts } = judgeHistory(history.changes.slice(firstChange), kinds);
			if (broken.length > 0) await keepHistory(round, firstChange, () => true);
			expect(broken).toEqual([]);
			const ending = (execution: WorkflowExecution) =>
				wrongAbout(execution, starts.get(execution.metadata.uid) ?? 0, fault === 'the API server is restarted');
			const wrong = ended.filter((execution) => ending(execution).length > 0);
			if (wrong.length > 0) await keepHistory(round, firstChange, isAbout(wrong));
			expect(wrong.flatMap(ending)).toEqual([]);
			const phases = OVER.map((phase) => `${ended.filter(({ status }) => status?.phase === phase).length} ${phase}`);
			console.log(
				`round ${round}: ${fault} after ${Math.round(strikesAfterMs)} ms: ${phases.join(', ')}; all ended after ${seconds(endedAt - startedAt)}, and were removed in ${seconds(removedAt - endedAt)}; an outcome was written at most ${seconds(longestLag(ended, firstChange))} after Tekton's`,
			);
		},
		600_000,
	);
});

/** What a red round needs to be understood: every version that was stored, of which a cluster soon keeps none. */
async function keepHistory(
	round: number,
	firstChange: number,
	isKept: (change: StoredChange) => boolean,
): Promise<void> {
	const file = join('test-results', `robustness-round-${round}.jsonl`);
	await mkdir('test-results', { recursive: true });
	const kept = history.changes.slice(firstChange).filter(isKept);
	await writeFile(file, kept.map((change) => `${JSON.stringify(change)}\n`).join(''));
	console.log(`round ${round}: what was stored is in ${file}`);
}

/** The executions themselves, and the runs, TaskRuns and pods of their targets. */
function isAbout(executions: readonly WorkflowExecution[]): (change: StoredChange) => boolean {
	const names = executions.flatMap(({ metadata, status }) => [
		metadata.name,
		status?.pipelineRunRef?.name ?? metadata.name,
	]);
	return ({ key }) => names.some((name) => key.slice(key.lastIndexOf('/') + 1).startsWith(name));
}

/** From Tekton's end of a run to the end of its execution. */
function longestLag(ended: readonly WorkflowExecution[], firstChange: number): number {
	const byTekton = new Map<string, number>();
	for (const { key, object } of history.changes.slice(firstChange))
		if (key.startsWith(kinds.runs) && object?.['status']?.completionTime !== undefined)
			byTekton.set(object['metadata'].uid, Date.parse(object['status'].completionTime));
	const lags = ended.map(({ status }) => {
		const doneAt = byTekton.get(status?.pipelineRunRef?.uid ?? '');
		return doneAt === undefined ? 0 : Date.parse(status?.completionTime ?? '') - doneAt;
	});
	return Math.max(0, ...lags);
}

function seconds(milliseconds: number): string {
	return `${Math.round(milliseconds / 1000)} s`;
}

/** Tekton itself fails a run for which it was refused by an API server that had just begun; the execution says so, in its words. */
function wrongAbout({ metadata, spec, status }: WorkflowExecution, starts: number, mayFail: boolean): string[] {
	const isAlone = spec.targetResource.startsWith('shop/Pod/');
	const isByTekton = isFailedByTekton(status?.failureDetails);
	const isAsItShouldBe =
		(status?.phase === 'Completed' && starts === 1) ||
		(status?.phase === 'Failed' && starts === 1 && mayFail && isByTekton) ||
		(status?.phase === 'Skipped' && starts === 0 && !isAlone && (status.skipDetails?.heldBy ?? '').startsWith('we-'));
	return isAsItShouldBe
		? []
		: [`${metadata.name} on ${spec.targetResource}, ${starts} starts: ${JSON.stringify(status)}`];
}

/** An API server that has just started does not know Tekton's rights yet: a pipeline or a pod may not be read then. */
function isFailedByTekton(details: NonNullable<WorkflowExecution['status']>['failureDetails']): boolean {
	const isForbidden = /is forbidden: User "system:serviceaccount:tekton-pipelines:/.test(details?.message ?? '');
	return details?.reason === 'ConfigurationError' || (details?.reason === 'Unknown' && isForbidden);
}

async function untilOver(): Promise<WorkflowExecution[]> {
	return eventually(
		() => world.executions(),
		(executions) =>
			expect(
				executions
					.filter(({ status }) => !OVER.includes(status?.phase ?? ''))
					.map(({ status }) => JSON.stringify(status)),
			).toEqual([]),
		PATIENCE_MS,
	);
}

/** Every run goes with its TaskRuns and pods: there is no cooldown. */
async function nothingIsLeft(): Promise<void> {
	await eventually(
		async () => [
			...(await pipelines.all('pipelineruns')),
			...(await pipelines.all('taskruns')),
			...(await pipelines.all('pods')),
		],
		(left) => expect(left.map(({ metadata }) => JSON.stringify(metadata))).toEqual([]),
		PATIENCE_MS,
	);
}

async function removeAll(executions: readonly WorkflowExecution[]): Promise<void> {
	for (const execution of executions) await world.deleteExecution(execution);
	await eventually(
		() => world.executions(),
		(left) => expect(left.map(({ metadata }) => JSON.stringify(metadata))).toEqual([]),
		PATIENCE_MS,
	);
}

/** mulberry32: enough to choose by, and the same for the same seed. */
function createRandom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
