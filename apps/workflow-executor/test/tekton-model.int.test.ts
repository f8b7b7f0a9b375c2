// The exploration's model of the API server (simulation/model-kube.ts) and a real one with Tekton's webhook get the same calls, made by
// the executor's own engine and store: they must answer alike, and hold the same afterwards. Tekton's controller is away meanwhile:
// what it does by itself is in simulation/environment.ts.
import { partSwitch } from '@kubernaut/control-plane';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { claimPatch, skippedPatch } from '../src/decide/status-patch.ts';
import { createKubeClient, type KubeCall, type KubeClient, KubeError, loadKubeConfig } from '../src/kube/kube.ts';
import { type Execution, toExecution } from '../src/objects/execution.ts';
import { createExecutionStore } from '../src/objects/execution-store.ts';
import type { NewRun, Run } from '../src/objects/run-engine.ts';
import { runName } from '../src/objects/run-engine.ts';
import { createTektonEngine } from '../src/objects/tekton-engine.ts';
import { type PipelineRun, toRun } from '../src/objects/tekton-run.ts';
import { eventually } from './harness/eventually.ts';
import { TARGET } from './harness/made-up.ts';
import { Pipelines } from './harness/pipelines.ts';
import { openWorld, type World } from './harness/world.ts';
import { machinery } from './simulation/environment.ts';
import { EMPTY_HISTORY, firstStore } from './simulation/model.ts';
import { serve, toRunObject } from './simulation/model-kube.ts';

let world: World;
let kube: KubeClient;
const controller = () => partSwitch(inject('controlPlane').directory ?? '', 'tekton-controller');
beforeAll(async () => {
	world = await openWorld('model', 0, { tekton: 'real' });
	const pipelines = new Pipelines(world);
	await pipelines.prepare();
	await pipelines.create('restart');
	await controller().stop('SIGKILL');
	kube = createKubeClient(loadKubeConfig(world.kubeconfig), 30_000, { called() {} });
});
afterAll(async () => {
	await kube.close();
	await controller().start();
});

/** Sends every call to both, and compares what they answer. */
class Both {
	readonly #realNames = new Map<string, string>();
	#store = firstStore(1, true);
	#history = EMPTY_HISTORY;
	readonly answers: string[] = [];

	constructor(execution: Execution) {
		this.#means(execution.name, 'we-0');
		this.#means(execution.uid, 'uid-0');
		this.#means(`"${execution.resourceVersion}"`, '"1"');
	}

	readonly call = async <T>(call: KubeCall): Promise<T> => {
		const served = serve(this.#store, this.#history, this.#translated(call));
		({ store: this.#store, history: this.#history } = served);
		const real = await kube.call<{ metadata?: { uid?: string; resourceVersion?: string } }>(call).then(
			(object) => ({ object }),
			(error: unknown) => ({ error }),
		);
		const said = 'error' in real ? faultOf(real.error) : 'ok';
		const modelSaid = 'fault' in served.answer ? `${served.answer.fault} ${served.answer.status}` : 'ok';
		this.answers.push(said);
		expect(modelSaid, `${call.verb} ${call.resource} ${JSON.stringify(call.body)}`).toBe(said);
		if ('error' in real) throw real.error;
		const answer = 'object' in served.answer ? served.answer.object : {};
		this.#learn(real.object, answer);
		return real.object as T;
	};

	/** The model's garbage collector, after the real one. */
	async collected(): Promise<void> {
		await world.untilRun(TARGET, (run) =>
			expect(run?.['metadata'].finalizers ?? []).not.toContain('foregroundDeletion'),
		);
		const done = machinery({ store: this.#store, history: this.#history }).find(({ label }) => /collector/.test(label));
		if (done !== undefined) ({ store: this.#store, history: this.#history } = done);
	}

	/** What both hold of the run. */
	async expectSameRun(): Promise<void> {
		const stored = await world.run(TARGET);
		const { run } = this.#store;
		expect(run === undefined ? undefined : kept(toRun(toRunObject(run) as PipelineRun))).toEqual(
			stored === undefined ? undefined : kept(toRun(stored as unknown as PipelineRun)),
		);
	}

	#learn(real: { metadata?: { uid?: string; resourceVersion?: string } }, modelled: typeof real): void {
		const { uid, resourceVersion } = real.metadata ?? {};
		if (uid === undefined || modelled.metadata?.uid === undefined) return;
		this.#means(uid, modelled.metadata.uid);
		this.#means(`"${resourceVersion}"`, `"${modelled.metadata.resourceVersion}"`);
	}
	#means(real: string, modelled: string): void {
		this.#realNames.set(real, modelled);
	}
	#translated({ path, body, ...call }: KubeCall): KubeCall {
		let text = JSON.stringify({ path, body });
		for (const [real, modelled] of this.#realNames) text = text.replaceAll(real, modelled);
		return { ...call, ...(JSON.parse(text) as Pick<KubeCall, 'path' | 'body'>) };
	}
}

function faultOf(error: unknown): string {
	if (error instanceof KubeError) return `${error.code} ${error.status}`;
	throw error;
}
function kept({ state, held, inForeground, deletedAt }: Run) {
	return { state, held, inForeground, deleting: deletedAt !== undefined };
}

async function prepared() {
	const execution = toExecution(await world.createExecution(TARGET));
	const both = new Both(execution);
	const run: NewRun = {
		name: runName(TARGET),
		lockKey: TARGET,
		owner: { namespace: world.namespace, name: execution.name, uid: execution.uid },
		fencingToken: '1',
		madeBy: 'test',
		pipeline: { name: 'restart' },
		parameters: {},
		serviceAccountName: 'kubernaut-workflow',
		timeoutMs: 60_000,
	};
	const engine = createTektonEngine(both, world.workflows);
	const store = createExecutionStore(both, world.namespace);
	const created = await engine.create(run);
	if (created === 'exists') throw new Error('the name is taken');
	return { both, engine, store, execution, created, wanted: run };
}

async function removed({ both, engine }: Awaited<ReturnType<typeof prepared>>, run: Run): Promise<void> {
	expect(await engine.remove(run, 'inForeground')).toBe('removing');
	await both.collected();
	await both.expectSameRun();
	expect(await engine.free(run)).toBe('freed');
	await both.expectSameRun();
	expect(await engine.get(run.name)).toBeUndefined();
	expect(await engine.start(run)).toBe('gone');
	expect(await engine.remove(run, 'inForeground')).toBe('gone');
}

it('create, claim, start, cancel: the second of two loses in the model as on the API server', async () => {
	const scene = await prepared();
	const { both, engine, store, execution, created, wanted } = scene;
	expect(await engine.create(wanted)).toBe('exists');
	const other = { ...created, uid: '00000000-0000-0000-0000-000000000000' };
	expect(await engine.start(other)).toBe('changed');
	expect(await engine.remove(other, 'inForeground')).toBe('changed');
	const claimed = await store.patchStatus(execution, claimPatch(execution, created, new Date()));
	if (typeof claimed === 'string') throw new Error(claimed);
	expect(await store.patchStatus(execution, claimPatch(execution, created, new Date()))).toBe('changed');
	const skip = { reason: 'ResourceBusy', message: '', heldBy: '' } as const;
	await expect(store.patchStatus(claimed, skippedPatch(claimed, skip, new Date()))).rejects.toThrow(KubeError);
	expect((await engine.start(created)) as Run).toMatchObject({ state: 'running' });
	await both.expectSameRun();
	expect(await engine.start(created)).toBe('changed');
	expect((await engine.cancel(created)) as Run).toMatchObject({ state: 'cancelled' });
	expect(await engine.start(created)).toBe('changed');
	await both.expectSameRun();
	await removed(scene, created);
	expect(both.answers).toContain('ok');
});

it('a run that is being deleted is not started, may be deleted again in the foreground, and goes with our finalizer', async () => {
	const scene = await prepared();
	const { both, engine, created } = scene;
	expect(await engine.remove(created, 'abandoned')).toBe('removing');
	await both.expectSameRun();
	expect(await engine.start(created)).toBe('changed');
	await both.expectSameRun();
	await removed(scene, created);
	await eventually(
		() => world.run(TARGET),
		(run) => expect(run).toBeUndefined(),
	);
});

it('a DELETE in the background takes off what the garbage collector has to do, so that a run goes without it', async () => {
	const { both, engine, created } = await prepared();
	const collector = partSwitch(inject('controlPlane').directory ?? '', 'kube-controller-manager');
	await collector.pause();
	try {
		expect(await engine.remove(created, 'inForeground')).toBe('removing');
		expect(await engine.get(created.name)).toMatchObject({ held: true, inForeground: true });
		await both.expectSameRun();
		expect(await engine.free(created)).toBe('freed');
		expect(await engine.get(created.name)).toMatchObject({ held: false, inForeground: true });
		expect(await engine.remove(created, 'abandoned')).toBe('removing');
		await both.expectSameRun();
		expect(await engine.get(created.name)).toBeUndefined();
	} finally {
		collector.resume();
	}
});
