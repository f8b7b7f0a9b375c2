// The executor's real code (reconciler, lock, engine, store, caches) as a process whose every call to the API server waits
// for its answer. It works in passes, and a pass does one thing after another: propose, then each proposal. What one of them
// leaves in the caches, with the proposals that are left, is all that the next one knows: processes that come to the same go
// on as one. Within one thing the code is deterministic, so that it is a tree: each point is reached by one row of answers,
// and the code runs once per point.
import { createExecutionWriter } from '../../src/act/execution-writer.ts';
import { createReconciler, type Reconciler } from '../../src/act/reconciler.ts';
import type { Work } from '../../src/decide/work.ts';
import { DistributedLock } from '../../src/distributed-lock.ts';
import type { KubeCall } from '../../src/kube/kube.ts';
import { toExecution } from '../../src/objects/execution.ts';
import { createExecutionStore } from '../../src/objects/execution-store.ts';
import { KnownObjects } from '../../src/objects/known-objects.ts';
import { createTektonEngine } from '../../src/objects/tekton-engine.ts';
import { type PipelineRun, toRun } from '../../src/objects/tekton-run.ts';
import { MINUTE, NAMESPACE, NOW, TARGET } from '../harness/made-up.ts';
import { Knowledge, type KnownThings } from './knowledge.ts';
import type { Store } from './model.ts';
import { type Answer, receive, toExecutionObject, toRunObject } from './model-kube.ts';

/** What the two watches have shown: each as old as it likes. */
export type Views = Pick<Store, 'executions' | 'run'>;
/** Takes one safety ingredient out of the code, from the outside. */
export type Mutation = {
	/** Another call instead, or an answer without one. */
	readonly call?: (call: KubeCall, views: Views) => KubeCall | Answer;
	readonly answer?: (answer: Answer, call: KubeCall) => Answer;
	/** What the watch of runs shows. */
	readonly run?: (run: PipelineRun) => PipelineRun;
};
/** Where a process is. */
export type Point = { readonly id: number } & (
	| { readonly is: 'idle' }
	/** One watch has shown this; the other is still to come. */
	| { readonly is: 'looking'; readonly seen: Partial<Views> }
	| { readonly is: 'working'; readonly call: KubeCall; answered(answer: Answer): Promise<Point> }
);
/** Between two things that it does. No proposals: a pass begins. */
type Stage = {
	readonly known: KnownThings;
	readonly proposals: readonly Work[];
	/** Something was changed in this pass: another follows. */
	readonly changed: boolean;
	/** A fault: the queue tries again, which is another process here. */
	readonly failed: boolean;
};
type Step = { readonly call: KubeCall } | { readonly stage: Stage } | 'finished';

const NO_OBSERVER = { attempted() {}, acquired() {}, contended() {}, failed() {}, released() {}, releaseFailed() {} };
const POLICY = { serviceAccount: 'runner', serviceAccounts: [], allowPipelineSpec: false, bundleRegistries: [] };
const PLACE = { namespace: NAMESPACE, cooldownMs: 5 * MINUTE, orphanAfterMs: 60 * MINUTE };
export class ExecutorCode {
	readonly idle: Point = { id: 0, is: 'idle' };
	readonly #points: Point[] = [this.idle];
	readonly #looks = new Map<string, Point>();
	readonly #stages = new Map<string, Promise<Point>>();
	readonly #mutation: Mutation;
	#runs = 0;

	constructor(mutation: Mutation = {}) {
		this.#mutation = mutation;
	}

	/** Runs of the real code. */
	get runs(): number {
		return this.#runs;
	}

	point(id: number): Point {
		const point = this.#points[id];
		if (point === undefined) throw new Error(`there is no point ${id}`);
		return point;
	}

	/** A process whose one watch is ahead of the other. */
	look(seen: Partial<Views>): Point {
		const key = JSON.stringify(seen);
		const known = this.#looks.get(key) ?? this.#add({ is: 'looking', seen });
		this.#looks.set(key, known);
		return known;
	}

	/** A process that begins its work: idle when there is none. */
	start({ executions, run }: Views): Promise<Point> {
		const { run: show = (shown) => shown } = this.#mutation;
		const known = {
			executions: executions.map((execution) => toExecution(toExecutionObject(execution))),
			runs: run === undefined ? [] : [toRun(show(toRunObject(run) as PipelineRun))],
			removed: [],
		};
		return this.#goOn({ executions, run }, { known, proposals: [], changed: false, failed: false });
	}

	#goOn(views: Views, stage: Stage): Promise<Point> {
		const key = JSON.stringify([stage, this.#mutation.call === undefined ? undefined : views]);
		const same = this.#stages.get(key);
		if (same !== undefined) return same;
		const point = this.#run(views, stage, []);
		this.#stages.set(key, point);
		return point;
	}

	async #run(views: Views, stage: Stage, answers: readonly Answer[]): Promise<Point> {
		this.#runs++;
		const step = await replay(views, stage, answers, this.#mutation);
		if (step === 'finished') return this.idle;
		// What comes to the same would wait for itself; every order from there on is explored already.
		if ('stage' in step) return isSame(step.stage, stage) ? this.idle : this.#goOn(views, step.stage);
		const next = new Map<string, Promise<Point>>();
		return this.#add({
			is: 'working',
			call: step.call,
			answered: (answer) => {
				const key = JSON.stringify(answer);
				const point = next.get(key) ?? this.#run(views, stage, [...answers, answer]);
				next.set(key, point);
				return point;
			},
		});
	}

	#add(point: Unnumbered<Point>): Point {
		const added = { ...point, id: this.#points.length } as Point;
		this.#points.push(added);
		return added;
	}
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never;

function isSame(a: Stage, b: Stage): boolean {
	return JSON.stringify(a) === JSON.stringify(b);
}

const fixedTime = () => NOW;

/** One thing of a pass, up to the first call that has no answer yet. */
function replay(views: Views, stage: Stage, answers: readonly Answer[], mutation: Mutation): Promise<Step> {
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

	const known = new KnownObjects(NAMESPACE, PLACE.cooldownMs, fixedTime, () => {});
	const knowledge = new Knowledge(known, stage.known);
	const reconciler = reconcilerOf(call, known, fixedTime);
	const isNewPass = stage.proposals.length === 0;
	const [first, ...others] = isNewPass ? reconciler.propose(TARGET).work : stage.proposals;
	if (first === undefined) return Promise.resolve('finished');
	async function act(work: Work): Promise<Step> {
		const progress = await reconciler.act(TARGET, [work]).catch(() => 'failed' as const);
		const changed = (progress !== 'failed' && progress.changed) || (!isNewPass && stage.changed);
		const failed = progress === 'failed' || (!isNewPass && stage.failed);
		const isLast = others.length === 0;
		if (isLast && (failed || !changed)) return 'finished';
		return { stage: { known: knowledge.now(), proposals: others, changed: !isLast && changed, failed } };
	}
	return Promise.race([stopped, act(first)]);
}

export function reconcilerOf(
	call: <T>(asked: KubeCall) => Promise<T>,
	known: KnownObjects,
	now: () => number,
): Reconciler {
	const clock = { now, wallTime: () => new Date(now()) };
	const engine = createTektonEngine({ call }, 'workflows');
	const store = createExecutionStore({ call }, NAMESPACE);
	const events = { record() {} };
	return createReconciler({
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
		onTakenOver() {},
		onAbandoned() {},
	});
}
