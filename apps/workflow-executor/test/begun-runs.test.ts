// What is written when an execution begins some time after it was made: its run has the time that is left, counted from its
// creation, and what is stored has the API server's time. The executor's code is real, on the exploration's model.
import { expect, it } from 'vitest';
import { inTurns } from '../src/act/in-turns.ts';
import type { KubeCall } from '../src/kube/kube.ts';
import { toExecution } from '../src/objects/execution.ts';
import { KnownObjects } from '../src/objects/known-objects.ts';
import { MINUTE, NAMESPACE, NOW, TARGET } from './harness/made-up.ts';
import { NO_TURNS } from './harness/started-run.ts';
import { reconcilerOf } from './simulation/executor-process.ts';
import { EMPTY_HISTORY, firstStore } from './simulation/model.ts';
import { receive, serve, toExecutionObject } from './simulation/model-kube.ts';

/** Executions of the model were made a minute before, and have an hour. */
const CREATED_AT = NOW - MINUTE;

/** The bodies of what is written by an executor that comes so long after the execution was made. */
async function writtenAfter(ageMs: number): Promise<Map<string, { spec?: object; status?: object }>> {
	let store = firstStore(1, true);
	let history = EMPTY_HISTORY;
	const now = CREATED_AT + ageMs;
	const written = new Map<string, object>();
	const known = new KnownObjects(
		NAMESPACE,
		5 * MINUTE,
		() => now,
		() => {},
	);
	async function call<T>(asked: KubeCall): Promise<T> {
		const served = serve(store, history, asked);
		({ store, history } = served);
		if (asked.body !== undefined) written.set(`${asked.verb} ${asked.resource}`, asked.body as object);
		return receive(served.answer) as T;
	}
	for (const execution of store.executions) known.executions.changed(toExecution(toExecutionObject(execution)));
	await inTurns(
		reconcilerOf(call, known, () => now),
		NO_TURNS,
		() => now,
	)(TARGET);
	return written;
}

it('a run has the time that is left of the time-out, counted from the creation of its execution', async () => {
	const written = await writtenAfter(40 * MINUTE + 500);
	expect(written.get('create pipelineruns')?.spec).toMatchObject({ timeouts: { pipeline: '1199s' } });
	expect(written.get('patch workflowexecutions/status')?.status).toMatchObject({
		phase: 'Running',
		startTime: new Date(CREATED_AT + 40 * MINUTE + 500).toISOString(),
	});
});

it('an execution of whose time nothing is left fails without a run', async () => {
	const written = await writtenAfter(60 * MINUTE - 500);
	expect([...written.keys()]).toEqual(['patch workflowexecutions/status']);
	expect(written.get('patch workflowexecutions/status')?.status).toMatchObject({
		phase: 'Failed',
		completionTime: new Date(CREATED_AT + 60 * MINUTE - 500).toISOString(),
		failureDetails: { reason: 'DeadlineExceeded', wasExecutionFailure: false },
	});
});
