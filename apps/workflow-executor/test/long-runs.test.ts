// A run that lasted longer than run.orphan_after when its execution is deleted. The hour after which a target is given free without
// its pods counts from then, not from the creation of the run. Minutes are played by the clock; the executor's code is real, on the
// exploration's model of the API server, in which Tekton and the pods do nothing.
import { expect, it } from 'vitest';
import { inTurns } from '../src/act/in-turns.ts';
import type { KubeCall } from '../src/kube/kube.ts';
import { toExecution } from '../src/objects/execution.ts';
import { KnownObjects } from '../src/objects/known-objects.ts';
import { type PipelineRun, toRun } from '../src/objects/tekton-run.ts';
import { at, MINUTE, NAMESPACE, NOW, TARGET } from './harness/made-up.ts';
import { NO_TURNS, STARTED_RUN as RUN } from './harness/started-run.ts';
import { reconcilerOf } from './simulation/executor-process.ts';
import { EMPTY_HISTORY, newExecution, type Parts, type Store, type StoredExecution } from './simulation/model.ts';
import { receive, serve, toExecutionObject, toRunObject } from './simulation/model-kube.ts';

const ORPHAN_AFTER_MS = 60 * MINUTE;

const DELETED: StoredExecution = { ...newExecution(0, true), phase: 'Running', run: RUN.uid, deleting: true };

/** For how long the target stays taken, while a pod of the run is alive. */
async function freedAfterMs(
	executions: readonly StoredExecution[],
	begun = RUN,
	parts: Parts = { task: 'running', pod: 'alive' },
): Promise<number> {
	let store: Store = {
		executions,
		run: begun,
		parts: { 'run-1': parts },
		runsMade: 1,
	};
	let history = EMPTY_HISTORY;
	let now = NOW;
	let deletedAt = begun.deleting ? NOW : undefined;
	const known = new KnownObjects(
		NAMESPACE,
		5 * MINUTE,
		() => now,
		() => {},
	);
	const shown = (run: NonNullable<Store['run']>) => {
		const object = toRunObject(run) as PipelineRun;
		const deletionTimestamp = deletedAt === undefined ? {} : { deletionTimestamp: at(deletedAt) };
		return {
			...object,
			metadata: { ...object.metadata, creationTimestamp: at(NOW - 90 * MINUTE), ...deletionTimestamp },
		};
	};
	async function call<T>(asked: KubeCall): Promise<T> {
		const served = serve(store, history, asked);
		({ store, history } = served);
		if (store.run?.deleting) deletedAt ??= now;
		const answer = receive(served.answer);
		return (asked.resource === 'pipelineruns' && store.run !== undefined ? shown(store.run) : answer) as T;
	}
	const reconcile = inTurns(
		reconcilerOf(call, known, () => now),
		NO_TURNS,
		() => now,
	);
	while (store.run !== undefined && now < NOW + 5 * ORPHAN_AFTER_MS) {
		for (const one of store.executions) known.executions.changed(toExecution(toExecutionObject(one)));
		known.runs.changed(toRun(shown(store.run)));
		const { afterMs = MINUTE } = await reconcile(TARGET);
		now = Math.floor((now + Math.max(1000, afterMs)) / 1000) * 1000;
	}
	return now - NOW;
}

it.each([
	{ what: 'is being deleted', executions: [DELETED] },
	{ what: 'is gone', executions: [] },
])(
	'a long run whose execution $what keeps its target while its pod runs, for an hour at least',
	async ({ executions }) => {
		expect(await freedAfterMs(executions)).toBeGreaterThanOrEqual(ORPHAN_AFTER_MS - MINUTE);
	},
);

it('a run whose execution is deleted in its cooldown keeps it for no longer: the cooldown is not waited for', async () => {
	const execution = { ...DELETED, phase: 'Completed', cooled: false } as const;
	expect(await freedAfterMs([execution], { ...RUN, done: 'ok' })).toBeLessThan(ORPHAN_AFTER_MS + 2 * MINUTE);
});

it('a run that is deleted in its cooldown goes at once, with a pod that Tekton had forgotten', async () => {
	const execution = { ...DELETED, phase: 'Failed', reason: 'Cancelled', cooled: false, deleting: false } as const;
	const parts = { task: 'done', pod: 'alive' } as const;
	expect(await freedAfterMs([execution], { ...RUN, done: 'cancelled', deleting: true }, parts)).toBeLessThan(
		2 * MINUTE,
	);
});
