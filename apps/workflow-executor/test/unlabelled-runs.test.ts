// A run whose labels a person took off: the watch, which selects by them, shows it as gone, and a read finds it. Nothing is made up
// about it, and the API server is not asked again and again. The executor's code is real, on the exploration's model.
import { expect, it } from 'vitest';
import { inTurns } from '../src/act/in-turns.ts';
import type { KubeCall } from '../src/kube/kube.ts';
import { toExecution } from '../src/objects/execution.ts';
import { KnownObjects } from '../src/objects/known-objects.ts';
import type { PipelineRun } from '../src/objects/tekton-run.ts';
import { MINUTE, NAMESPACE, NOW, TARGET } from './harness/made-up.ts';
import { NO_TURNS } from './harness/started-run.ts';
import { reconcilerOf } from './simulation/executor-process.ts';
import { EMPTY_HISTORY, newExecution } from './simulation/model.ts';
import { receive, serve, toExecutionObject, toRunObject } from './simulation/model-kube.ts';

const RUN = { uid: 'run-1', version: 2, owner: 'uid-0', status: 'started', deleting: false, held: true } as const;

it('a run whose labels were taken off is looked at from time to time, and left alone', async () => {
	const execution = { ...newExecution(0, true), phase: 'Running', run: RUN.uid } as const;
	const run = { ...RUN, foreground: false };
	const store = { executions: [execution], run, parts: {}, runsMade: 1 };
	let now = NOW;
	const known = new KnownObjects(
		NAMESPACE,
		5 * MINUTE,
		() => now,
		() => {},
	);
	const calls: string[] = [];
	async function call<T>(asked: KubeCall): Promise<T> {
		calls.push(`${asked.verb} ${asked.resource}`);
		if (asked.resource !== 'pipelineruns') return receive(serve(store, EMPTY_HISTORY, asked).answer) as T;
		const object = toRunObject(run) as PipelineRun;
		return { ...object, metadata: { ...object.metadata, labels: {} } } as T;
	}
	const reconcile = inTurns(
		reconcilerOf(call, known, () => now),
		NO_TURNS,
		() => now,
	);
	known.executions.changed(toExecution(toExecutionObject(execution)));
	while (now < NOW + MINUTE) {
		const { afterMs = MINUTE } = await reconcile(TARGET);
		now += Math.max(1, afterMs);
	}
	expect(new Set(calls)).toEqual(new Set(['get pipelineruns']));
	expect(calls.length).toBeLessThan(10);
});
