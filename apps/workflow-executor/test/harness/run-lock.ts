// The PipelineRun lock in the process of a test, with the executor's own rights, real WorkflowExecutions, and every call recorded.

import { expect } from 'vitest';
import { requestRun } from '../../src/decide/run-policy.ts';
import { DistributedLock, type LockObserver } from '../../src/distributed-lock.ts';
import { createKubeClient, type KubeCall, type KubeClient, KubeError, loadKubeConfig } from '../../src/kube/kube.ts';
import { type Execution, toExecution } from '../../src/objects/execution.ts';
import { createExecutionStore } from '../../src/objects/execution-store.ts';
import type { NewRun, Run, RunEngine } from '../../src/objects/run-engine.ts';
import { createTektonEngine } from '../../src/objects/tekton-engine.ts';
import { SYSTEM_CLOCK } from '../../src/process/clock.ts';
import type { World } from './world.ts';

export type Bug = {
	readonly engine?: (engine: RunEngine) => RunEngine;
	/** As in `calls`. The call is done, and its sender hears nothing. */
	readonly loseAnswerOf?: string;
};
export type OpenRunLock = AsyncDisposable & {
	readonly world: World;
	readonly lock: DistributedLock;
	readonly engine: RunEngine;
	/** As `create pipelineruns`. */
	readonly calls: string[];
};

const CALL_TIMEOUT_MS = 30_000;
const MAX_STEPS = 12;
const SILENT: LockObserver = {
	attempted() {},
	acquired() {},
	contended() {},
	failed() {},
	released() {},
	releaseFailed() {},
};
const POLICY = {
	serviceAccount: 'runner',
	serviceAccounts: [],
	allowPipelineSpec: false,
	bundleRegistries: [],
} as const;

export function openRunLock(world: World, bug: Bug = {}): OpenRunLock {
	const kube = createKubeClient(loadKubeConfig(world.kubeconfig), CALL_TIMEOUT_MS, { called() {} });
	const calls: string[] = [];
	const recorded: Pick<KubeClient, 'call'> = {
		async call<T>(call: KubeCall): Promise<T> {
			const what = `${call.verb} ${call.resource}`;
			calls.push(what);
			const answer = await kube.call<T>(call);
			if (what === bug.loseAnswerOf) throw new KubeError('KUBE_TIMEOUT', 'the answer was lost');
			return answer;
		},
	};
	const own = createTektonEngine(recorded, world.workflows);
	const engine = bug.engine?.(own) ?? own;
	const place = { namespace: world.namespace, cooldownMs: 0, orphanAfterMs: 3_600_000 };
	const store = createExecutionStore(recorded, world.namespace);
	return {
		world,
		lock: new DistributedLock(engine, store, place, SYSTEM_CLOCK, SILENT),
		engine,
		calls,
		[Symbol.asyncDispose]: () => kube.close(),
	};
}

export async function storedExecution(world: World, target: string): Promise<Execution> {
	return toExecution(await world.createExecution(target));
}

export function wantedRun(world: World, execution: Execution): NewRun {
	const request = requestRun(execution, POLICY, { namespace: world.namespace, podName: 'test', timeLeftMs: 60_000 });
	if ('refused' in request) throw new Error(request.refused);
	return request.run;
}

/** Fails when it is not. */
export async function acquired(
	{ lock, world }: OpenRunLock,
	execution: Execution,
): Promise<{ readonly run: Run; readonly execution: Execution }> {
	const acquisition = await lock.tryAcquire(execution, wantedRun(world, execution));
	expect(acquisition.outcome, JSON.stringify(acquisition)).toBe('acquired');
	return acquisition as Extract<typeof acquisition, { outcome: 'acquired' }>;
}

/** One step after the other, until the target is free. */
export async function released({ lock, world }: OpenRunLock, target: string): Promise<void> {
	for (let step = 0; step < MAX_STEPS; step++) {
		const found = await lock.inspect(target);
		if (found === undefined) return;
		const { step: done } = await lock.release(found);
		// The collector takes its own finalizer off.
		if (done === 'remove') await world.untilRun(target, (run) => expect(run?.['metadata'].finalizers).toHaveLength(1));
	}
	expect.fail(`${target} is not free after ${MAX_STEPS} steps`);
}
