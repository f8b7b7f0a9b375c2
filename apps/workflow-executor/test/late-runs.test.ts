// A run that Tekton does not end in time, from the moment of its time-out to the outcome, which must come before the orchestrator
// gives up (5 minutes). Minutes are played by the clock; the executor's code is real, on the exploration's model of the API server.
import { describe, expect, it } from 'vitest';
import { inTurns } from '../src/act/in-turns.ts';
import { type KubeCall, KubeError } from '../src/kube/kube.ts';
import { toExecution } from '../src/objects/execution.ts';
import { KnownObjects } from '../src/objects/known-objects.ts';
import { type PipelineRun, toRun } from '../src/objects/tekton-run.ts';
import { at, MINUTE, NAMESPACE, NOW, TARGET } from './harness/made-up.ts';
import { NO_TURNS, STARTED_RUN as RUN } from './harness/started-run.ts';
import { reconcilerOf } from './simulation/executor-process.ts';
import { EMPTY_HISTORY, newExecution, type Parts, type Store, type StoredRun, withRun } from './simulation/model.ts';
import { receive, serve, toExecutionObject, toRunObject } from './simulation/model-kube.ts';

/** Executions of the model were made a minute ago, and have an hour. */
const DEADLINE = NOW - MINUTE + 60 * MINUTE;
const RETRY_MS = 10_000;
type Written = { readonly write: string; readonly lateMs: number; readonly status?: object };

/** What the executor writes about a run that was started, until an outcome is there. `react`: what Tekton does meanwhile. */
async function writesAbout(
	parts: Parts | undefined,
	react: (store: Store, lateMs: number) => Store = (store) => store,
	{
		begun = RUN,
		from = DEADLINE - MINUTE,
		isWebhookAway = false,
	}: { begun?: StoredRun; from?: number; isWebhookAway?: boolean } = {},
) {
	const execution = { ...newExecution(0, true), phase: 'Running', run: RUN.uid } as const;
	let store: Store = { executions: [execution], run: begun, parts: parts ? { [RUN.uid]: parts } : {}, runsMade: 1 };
	let history = EMPTY_HISTORY;
	let now = from;
	const written: Written[] = [];
	const known = new KnownObjects(
		NAMESPACE,
		5 * MINUTE,
		() => now,
		() => {},
	);
	let endedAt: number | undefined;
	/** Tekton keeps the names of TaskRuns that are gone. */
	const childReferences = parts === undefined ? [] : [{ kind: 'TaskRun', name: RUN.uid }];
	const shown = (run: NonNullable<Store['run']>) => {
		const object = toRunObject(run) as PipelineRun;
		if (run.done !== undefined) endedAt ??= now;
		const completionTime = endedAt === undefined ? {} : { completionTime: at(endedAt) };
		return { ...object, status: { ...object.status, childReferences, ...completionTime } };
	};
	const isOpen = () => store.executions[0]?.phase === 'Running';
	async function call<T>(asked: KubeCall): Promise<T> {
		if (isWebhookAway && asked.verb === 'patch' && asked.resource === 'pipelineruns')
			throw new KubeError('KUBE_UNAVAILABLE', 'failed calling webhook', { status: 500 });
		const served = serve(store, history, asked);
		if (isOpen() && asked.verb !== 'get' && asked.verb !== 'list')
			written.push({
				write: `${asked.verb} ${asked.resource}`,
				lateMs: now - DEADLINE,
				...(asked.resource === 'workflowexecutions/status'
					? { status: (asked.body as { status: object }).status }
					: {}),
			});
		({ store, history } = served);
		const answer = receive(served.answer);
		return (asked.resource === 'pipelineruns' && store.run !== undefined ? shown(store.run) : answer) as T;
	}
	const reconcile = inTurns(
		reconcilerOf(call, known, () => now),
		NO_TURNS,
		() => now,
	);
	while (isOpen() && now < DEADLINE + 10 * MINUTE) {
		for (const one of store.executions) known.executions.changed(toExecution(toExecutionObject(one)));
		if (store.run !== undefined) known.runs.changed(toRun(shown(store.run)));
		const { afterMs = MINUTE } = await reconcile(TARGET).catch(() => ({ afterMs: RETRY_MS }));
		now += Math.max(1, afterMs);
		store = react(store, now - DEADLINE);
	}
	return written;
}

describe('a run that Tekton does not end within its time-out', () => {
	it('is cancelled after a minute, then its TaskRuns are deleted, then the outcome is written, all within 5 minutes', async () => {
		expect(await writesAbout({ task: 'running', pod: 'alive' })).toEqual([
			{ write: 'patch pipelineruns', lateMs: MINUTE },
			{ write: 'delete taskruns', lateMs: 2 * MINUTE },
			{
				write: 'patch workflowexecutions/status',
				lateMs: 4 * MINUTE,
				status: expect.objectContaining({
					phase: 'Failed',
					failureDetails: expect.objectContaining({ reason: 'DeadlineExceeded', wasExecutionFailure: true }),
				}),
			},
		]);
	});

	it('and that it never began ends in the same way', async () => {
		const written = await writesAbout(undefined);
		expect(written.map(({ write, lateMs }) => [write, lateMs])).toEqual([
			['patch pipelineruns', MINUTE],
			['patch workflowexecutions/status', 4 * MINUTE],
		]);
	});

	it('and that it ends when it is cancelled failed for its time-out, not because it was cancelled', async () => {
		const written = await writesAbout({ task: 'done', pod: 'ended' }, (store) =>
			store.run?.status === 'cancelled' ? withRun(store, { ...store.run, done: 'cancelled' }) : store,
		);
		expect(written.map(({ write }) => write)).toEqual(['patch pipelineruns', 'patch workflowexecutions/status']);
		expect(written[1]?.status).toMatchObject({ phase: 'Failed', failureDetails: { reason: 'DeadlineExceeded' } });
	});

	it('and that it ends after its TaskRuns were deleted may have acted: they cannot say any more that no step began', async () => {
		const written = await writesAbout({ task: 'running', pod: 'alive' }, (store) => {
			const isLeft = store.run === undefined || RUN.uid in store.parts;
			return isLeft ? store : withRun(store, { ...store.run, done: 'cancelled' });
		});
		expect(written.map(({ write }) => write)).toEqual([
			'patch pipelineruns',
			'delete taskruns',
			'patch workflowexecutions/status',
		]);
		expect(written[2]?.status).toMatchObject({
			failureDetails: { reason: 'DeadlineExceeded', wasExecutionFailure: true },
		});
	});

	it('and that ends late, with a pod that does not, has its outcome within 5 minutes all the same', async () => {
		const written = await writesAbout({ task: 'done', pod: 'alive' }, (store, lateMs) =>
			lateMs >= 3.5 * MINUTE && store.run !== undefined ? withRun(store, { ...store.run, done: 'cancelled' }) : store,
		);
		expect(written.at(-1)).toMatchObject({
			write: 'patch workflowexecutions/status',
			status: { failureDetails: { reason: 'DeadlineExceeded', wasExecutionFailure: true } },
		});
		expect(written.at(-1)?.lateMs).toBeLessThan(4.5 * MINUTE);
	});

	it("and that cannot be cancelled, because Tekton's webhook is away, has its outcome within 5 minutes all the same", async () => {
		const written = await writesAbout({ task: 'running', pod: 'alive' }, undefined, { isWebhookAway: true });
		expect(written).toMatchObject([
			{
				write: 'patch workflowexecutions/status',
				status: { failureDetails: { reason: 'DeadlineExceeded', wasExecutionFailure: true } },
			},
		]);
		expect(written[0]?.lateMs).toBeLessThan(4.5 * MINUTE);
	});

	it('and that was never started, because no executor was there, is cancelled instead: no step begins', async () => {
		const isCancelled = (store: Store) => store.run?.status === 'cancelled';
		const written = await writesAbout(
			undefined,
			(store) => (isCancelled(store) && store.run ? withRun(store, { ...store.run, done: 'cancelled' }) : store),
			{ begun: { ...RUN, status: 'pending' }, from: DEADLINE + 1000 },
		);
		expect(written).toEqual([
			{ write: 'patch pipelineruns', lateMs: 1000 },
			{
				write: 'patch workflowexecutions/status',
				lateMs: expect.any(Number),
				status: expect.objectContaining({
					phase: 'Failed',
					failureDetails: expect.objectContaining({ reason: 'DeadlineExceeded', wasExecutionFailure: false }),
				}),
			},
		]);
	});
});
