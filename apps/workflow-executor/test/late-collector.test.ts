// A run that is removed while Tekton's webhook is away for a quarter of an hour. Every change of a finalizer has to pass the
// webhook. The garbage collector, which failed all the time, then waits as long again before its next try; its part is not
// waited for. Minutes are played by the clock; the executor's code is real, on the exploration's model of the API server.
import { expect, it } from 'vitest';
import { inTurns } from '../src/act/in-turns.ts';
import { type KubeCall, KubeError } from '../src/kube/kube.ts';
import { toExecution } from '../src/objects/execution.ts';
import { KnownObjects } from '../src/objects/known-objects.ts';
import { type PipelineRun, toRun } from '../src/objects/tekton-run.ts';
import { MINUTE, NAMESPACE, NOW, TARGET } from './harness/made-up.ts';
import { NO_TURNS } from './harness/started-run.ts';
import { reconcilerOf } from './simulation/executor-process.ts';
import { EMPTY_HISTORY, newExecution, type Store } from './simulation/model.ts';
import { receive, serve, toExecutionObject, toRunObject } from './simulation/model-kube.ts';

const BACK_AT = NOW + 15 * MINUTE;
const RETRY_MS = 10_000;

it('a target is free within half a minute after the webhook is back, whenever the garbage collector tries again', async () => {
	const execution = { ...newExecution(0, true), phase: 'Completed', run: 'run-1' } as const;
	let store: Store = {
		executions: [execution],
		run: {
			uid: 'run-1',
			version: 2,
			owner: 'uid-0',
			status: 'started',
			done: 'ok',
			deleting: false,
			held: true,
			foreground: false,
		},
		parts: {},
		runsMade: 1,
	};
	let history = EMPTY_HISTORY;
	let now = NOW;
	const known = new KnownObjects(
		NAMESPACE,
		5 * MINUTE,
		() => now,
		() => {},
	);
	const writes: string[] = [];
	async function call<T>(asked: KubeCall): Promise<T> {
		if (asked.verb === 'patch' && asked.resource === 'pipelineruns' && now < BACK_AT)
			throw new KubeError('KUBE_UNAVAILABLE', 'failed calling webhook', { status: 500 });
		const served = serve(store, history, asked);
		({ store, history } = served);
		if (asked.verb !== 'get' && asked.verb !== 'list') writes.push(`${asked.verb} ${asked.resource}`);
		return receive(served.answer) as T;
	}
	const reconcile = inTurns(
		reconcilerOf(call, known, () => now),
		NO_TURNS,
		() => now,
	);
	while (store.run !== undefined && now < BACK_AT + 15 * MINUTE) {
		for (const one of store.executions) known.executions.changed(toExecution(toExecutionObject(one)));
		known.runs.changed(toRun(toRunObject(store.run) as PipelineRun));
		const { afterMs = RETRY_MS } = await reconcile(TARGET).catch(() => ({ afterMs: RETRY_MS }));
		now += Math.max(1, afterMs);
	}
	expect(store.run).toBeUndefined();
	expect(now - BACK_AT).toBeLessThan(30_000);
	// In the foreground, our finalizer, and what is left to the garbage collector.
	expect(writes).toEqual(['delete pipelineruns', 'patch pipelineruns', 'delete pipelineruns']);
});
