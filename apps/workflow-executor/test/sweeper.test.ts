// The sweeper takes up what the watches missed. The whole executor (queue, turns, watches, lock, reconciler) on the
// exploration's model of the API server, with watches that deliver their list and then nothing more.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { afterEach, expect, it } from 'vitest';
import { type Executor, startExecutor } from '../src/executor.ts';
import { type KubeCall, type KubeClient, KubeError } from '../src/kube/kube.ts';
import { MINUTE, NAMESPACE, NOW } from './harness/made-up.ts';
import { machinery } from './simulation/environment.ts';
import { EMPTY_HISTORY, firstStore, newExecution, type Store } from './simulation/model.ts';
import { receive, serve, toExecutionObject, toRunObject } from './simulation/model-kube.ts';

const SWEEP_MS = 10 * MINUTE;
const SECONDS_OF_WORK = 60;
const NO_OBSERVER = {
	lock: { attempted() {}, acquired() {}, contended() {}, failed() {}, released() {}, releaseFailed() {} },
	queue: { depth() {}, started() {}, finished() {}, failed() {} },
	executor: { ended() {}, waiting() {}, takenOver() {}, waitersChanged() {}, abandoned() {}, eventFailed() {} },
	syncChanged() {},
};
const ORPHAN = {
	uid: 'run-1',
	version: 100,
	owner: 'uid-of-nothing',
	status: 'pending',
	deleting: false,
	held: true,
	foreground: false,
} as const;

class Scene {
	readonly clock = new ManualClock();
	readonly #executor: Executor;
	store: Store;
	#history = EMPTY_HISTORY;

	constructor(store: Store) {
		this.store = store;
		const kube: KubeClient = {
			server: 'model',
			call: async <T>(call: KubeCall) => this.#answer<T>(call),
			lines: ({ path }, signal) => this.#lines(path, signal),
			close: async () => {},
		};
		this.#executor = startExecutor({
			kube,
			clock: {
				now: () => this.clock.now(),
				wallTime: () => new Date(NOW + this.clock.now()),
				setTimer: (onElapsed, delayMs) => this.clock.setTimer(onElapsed, delayMs),
			},
			podName: 'executor-0',
			podNamespace: NAMESPACE,
			namespace: NAMESPACE,
			executionNamespace: 'workflows',
			cooldownMs: 5 * MINUTE,
			orphanAfterMs: 60 * MINUTE,
			turnMs: 0,
			concurrency: 4,
			policy: { serviceAccount: 'runner', serviceAccounts: [], allowPipelineSpec: false, bundleRegistries: [] },
			observer: NO_OBSERVER,
		});
	}

	stop(): Promise<void> {
		return this.#executor.stop();
	}

	/** Seconds in which the executor and the garbage collector work. */
	async pass(seconds = SECONDS_OF_WORK): Promise<void> {
		for (let second = 0; second < seconds; second++) {
			for (let turn = 0; turn < 20; turn++) await nextTurn();
			const collected = machinery({ store: this.store, history: this.#history }).find(({ label }) =>
				/collector/.test(label),
			);
			if (collected !== undefined) this.store = collected.store;
			this.clock.advance(1000);
		}
	}

	async #answer<T>(call: KubeCall): Promise<T> {
		await nextTurn();
		if (
			!['pipelineruns', 'workflowexecutions', 'workflowexecutions/status', 'taskruns', 'pods'].includes(call.resource)
		)
			throw new KubeError('KUBE_UNAVAILABLE', 'not in the model');
		const served = serve(this.store, this.#history, call);
		({ store: this.store, history: this.#history } = served);
		return receive(served.answer) as T;
	}

	async *#lines(path: string, signal: AbortSignal): AsyncGenerator<string> {
		await nextTurn();
		const { executions, run } = this.store;
		const listed = path.includes('/workflowexecutions')
			? executions.map(toExecutionObject)
			: path.includes('/pipelineruns') && run !== undefined
				? [toRunObject(run)]
				: [];
		for (const object of listed) yield JSON.stringify({ type: 'ADDED', object });
		const annotations = { 'k8s.io/initial-events-end': 'true' };
		const metadata = { name: '', resourceVersion: String(1000 + this.clock.now()), annotations };
		yield JSON.stringify({ type: 'BOOKMARK', object: { metadata } });
		await new Promise((resolve) => signal.addEventListener('abort', resolve));
	}
}

let scene: Scene;
afterEach(() => scene.stop());

it('a run without an execution, which no watch has shown, is removed within 10 minutes', async () => {
	scene = new Scene(firstStore(0, true));
	await scene.pass();
	scene.store = { ...scene.store, run: ORPHAN, runsMade: 1 };
	await scene.pass();
	expect(scene.store.run).toEqual(ORPHAN);
	scene.clock.advance(SWEEP_MS);
	await scene.pass();
	expect(scene.store.run).toBeUndefined();
});

it('an execution that no watch has shown runs within 10 minutes', async () => {
	scene = new Scene(firstStore(0, true));
	await scene.pass();
	scene.store = { ...scene.store, executions: [newExecution(0, true)] };
	await scene.pass();
	expect(scene.store.run).toBeUndefined();
	scene.clock.advance(SWEEP_MS);
	await scene.pass();
	expect(scene.store.executions[0]).toMatchObject({ phase: 'Running', run: scene.store.run?.uid });
	expect(scene.store.run).toMatchObject({ status: 'started' });
});
