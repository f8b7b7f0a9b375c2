// The executor's real code (reconciler, lock, engine, store, caches) as a process whose every call to the API server waits
// for its answer. The code is deterministic: the next call follows from the views and the answers so far. So a process is a
// tree, each node reached by one row of answers, and the code runs once per node, from the start.
import { createExecutionWriter } from '../../src/act/execution-writer.ts';
import { inTurns, type Turns } from '../../src/act/in-turns.ts';
import { createReconciler } from '../../src/act/reconciler.ts';
import { DistributedLock } from '../../src/distributed-lock.ts';
import type { KubeCall } from '../../src/kube/kube.ts';
import { toExecution } from '../../src/objects/execution.ts';
import { createExecutionStore } from '../../src/objects/execution-store.ts';
import { KnownObjects } from '../../src/objects/known-objects.ts';
import { createTektonEngine } from '../../src/objects/tekton-engine.ts';
import { type PipelineRun, toRun } from '../../src/objects/tekton-run.ts';
import { MINUTE, NAMESPACE, NOW, TARGET } from '../harness/made-up.ts';
import type { Store } from './model.ts';
import { type Answer, receive, toExecutionObject, toRunObject } from './model-kube.ts';

/** What the two watches have shown: each as old as it likes. */
export type SeenExecutions = Pick<Store, 'executions'>;
export type Views = { readonly executions: SeenExecutions; readonly runs: Store };
/** Takes one safety ingredient out of the code, from the outside. */
export type Mutation = {
	/** Another call instead, or an answer without one. */
	readonly call?: (call: KubeCall, views: Views) => KubeCall | Answer;
	readonly answer?: (answer: Answer, call: KubeCall) => Answer;
	/** What the watch of runs shows. */
	readonly run?: (run: PipelineRun) => PipelineRun;
};
export type Step = { readonly call: KubeCall } | { readonly finished: true };
export type ProcessNode = {
	readonly id: number;
	readonly step: Step;
	answered(answer: Answer): Promise<ProcessNode>;
};

const NO_TURNS: Turns = { waitMs: () => 0, leaveToBusyMs: () => 0, actedInsteadOfOthers() {}, settled() {} };
const NO_OBSERVER = { attempted() {}, acquired() {}, contended() {}, failed() {}, released() {}, releaseFailed() {} };
const POLICY = { serviceAccount: 'runner', serviceAccounts: [], allowPipelineSpec: false, bundleRegistries: [] };
const PLACE = { namespace: NAMESPACE, cooldownMs: 5 * MINUTE, orphanAfterMs: 60 * MINUTE };

export class ProcessTrees {
	readonly #roots = new Map<string, Promise<ProcessNode>>();
	readonly #mutation: Mutation;
	#nodes = 0;

	constructor(mutation: Mutation = {}) {
		this.#mutation = mutation;
	}

	/** Runs of the real code. */
	get size(): number {
		return this.#nodes;
	}

	start(views: Views): Promise<ProcessNode> {
		const { executions, runs } = views;
		const key = JSON.stringify([executions.executions, runs.run]);
		const known = this.#roots.get(key);
		if (known !== undefined) return known;
		const root = this.#node(views, []);
		this.#roots.set(key, root);
		return root;
	}

	async #node(views: Views, answers: readonly Answer[]): Promise<ProcessNode> {
		const step = await replay(views, answers, this.#mutation);
		const children = new Map<string, Promise<ProcessNode>>();
		return {
			id: this.#nodes++,
			step,
			answered: (answer) => {
				const key = JSON.stringify(answer);
				const next = children.get(key) ?? this.#node(views, [...answers, answer]);
				children.set(key, next);
				return next;
			},
		};
	}
}

async function replay(views: Views, answers: readonly Answer[], mutation: Mutation): Promise<Step> {
	let stop = (_step: Step) => {};
	const stopped = new Promise<Step>((resolve) => (stop = resolve));
	const rest = answers.values();
	function call<T>(asked: KubeCall): Promise<T> {
		const sent = mutation.call?.(asked, views) ?? asked;
		if (!('verb' in sent)) return Promise.resolve().then(() => receive(sent) as T);
		const answer = rest.next().value;
		if (answer === undefined) {
			stop({ call: sent });
			return new Promise(() => {});
		}
		return Promise.resolve().then(() => receive(mutation.answer?.(answer, sent) ?? answer) as T);
	}

	const now = () => NOW;
	const clock = { now, wallTime: () => new Date(NOW) };
	const known = new KnownObjects(NAMESPACE, PLACE.cooldownMs, now, () => {});
	for (const execution of views.executions.executions)
		known.executions.changed(toExecution(toExecutionObject(execution)));
	const { run } = views.runs;
	const show = mutation.run ?? ((shown: PipelineRun) => shown);
	if (run !== undefined) known.runs.changed(toRun(show(toRunObject(run, views.runs) as PipelineRun)));
	const engine = createTektonEngine({ call }, 'workflows');
	const store = createExecutionStore({ call }, NAMESPACE);
	const events = { record() {} };
	const reconciler = createReconciler({
		lock: new DistributedLock(engine, store, PLACE, clock, NO_OBSERVER),
		engine,
		store,
		known,
		writer: createExecutionWriter(store, known, events, clock.wallTime, { ended() {}, waiting() {} }),
		events,
		place: PLACE,
		policy: POLICY,
		podName: 'executor',
		now,
		onAbandoned() {},
	});
	const finished = inTurns(
		reconciler,
		NO_TURNS,
		now,
	)(TARGET).then(
		() => ({ finished: true }) as const,
		() => ({ finished: true }) as const, // a fault: the queue tries again, which is another process here
	);
	return Promise.race([stopped, finished]);
}
