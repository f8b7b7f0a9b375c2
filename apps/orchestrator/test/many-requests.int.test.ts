// Many requests at once, three processes: a target never has two executions at a time, and no request is lost.
import { atTheEnd } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import type { WorkflowExecution } from '../src/generated/workflow-execution.ts';
import { isTerminal } from '../src/objects/remediation.ts';
import { type ExecutionHistory, recordExecutions } from './harness/execution-history.ts';
import { timeOf } from './harness/objects.ts';
import { PlayedExecutor } from './harness/played-executor.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
let history: ExecutionHistory;
beforeAll(async () => {
	world = await openWorld('many', 3, { RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s' }, async (prepared) => {
		history = await recordExecutions(prepared.namespace);
		await prepared.createWorkflow('restart', { signalNames: ['CrashLooping'] });
		await prepared.createWorkflow('scale', { signalNames: ['TooSlow'] });
		await prepared.createWorkflow('rollback', { signalNames: ['ErrorRate'] });
	});
});

describe('100 requests with one target', () => {
	it('have one execution at a time: duplicates inherit its outcome, other workflows run after the cooldown', async () => {
		const signalOf = (i: number) => (i % 10 === 0 ? 'TooSlow' : i % 10 === 5 ? 'ErrorRate' : 'CrashLooping');
		const requests = await Promise.all(
			Array.from({ length: 100 }, (_, i) => world.createRequest({ signalName: signalOf(i) })),
		);
		const names = new Set(requests.map(({ metadata }) => metadata.name));
		const mine = async () => (await world.requests()).filter(({ metadata }) => names.has(metadata.name));

		// Before anything ends: one runs, its duplicates wait for it, the other workflows for its target.
		await expect
			.poll(async () => (await mine()).filter(({ status }) => status.overallPhase !== undefined).length, {
				timeout: 60_000,
			})
			.toBe(100);
		await expect.poll(async () => stateCounts(await mine()), { timeout: 60_000 }).toMatchObject({ Executing: 1 });
		const [running] = (await mine()).filter(({ status }) => status.overallPhase === 'Executing');
		const first = await world.executionOf(running!);
		const signals = new Map(requests.map(({ metadata, spec }) => [metadata.uid, spec.signalName]));
		await expect
			.poll(async () => (await mine()).filter((request) => blockedRightly(request, first, running!, signals)).length, {
				timeout: 60_000,
			})
			.toBe(99);

		const executor = new PlayedExecutor(world, 100);
		atTheEnd(() => executor.stop());
		await expect
			.poll(async () => (await mine()).filter(({ status }) => !isTerminal({ phase: status.overallPhase })).length, {
				timeout: 120_000,
				interval: 200,
			})
			.toBe(0);
		expect((await history.caughtUp()).overlaps()).toEqual([]);
		const ended = await mine();
		const ran = ended.filter(({ metadata }) => history.madeFor(metadata.uid).length > 0);
		expect(ran.map(({ spec }) => spec.signalName).toSorted()).toEqual(['CrashLooping', 'ErrorRate', 'TooSlow']);
		expect(stateCounts(ended)).toEqual({ Completed: 3, Skipped: 97 });
		expect(
			new Set(ended.filter(({ status }) => status.overallPhase === 'Skipped').map(({ status }) => status.outcome)),
		).toEqual(new Set(['RemediatedByAnother']));
		const executions = (await world.executions()).toSorted((a, b) => a.spec.chain - b.spec.chain);
		expect(executions.map(({ spec }) => spec.chain)).toEqual([0, 1, 2]);
		for (const [i, later] of executions.slice(1).entries()) {
			const endedAt = timeOf(executions[i]!.status?.completionTime);
			// Creation times are whole seconds, rounded down: a cooldown of one second shows as none at the least.
			expect(Date.parse(later.metadata.creationTimestamp)).toBeGreaterThanOrEqual(
				Math.floor(endedAt / 1000) * 1000 + 1000,
			);
		}
		// A hundred alerts are not a hundred pages: not in the end, either.
		const notified = async () =>
			(await world.notifications()).filter(({ spec }) => names.has(spec.remediationRequestRef?.name ?? '')).length;
		await expect.poll(notified).toBe(3);
		await world.afterwards();
		expect(await notified()).toBe(3);
	}, 400_000);
});

describe('200 requests on 200 targets', () => {
	it('have one execution each', async () => {
		const requests = await Promise.all(
			Array.from({ length: 200 }, (_, i) =>
				world.createRequest({ signalName: 'CrashLooping', target: `shop/Pod/p${i}` }),
			),
		);
		const uids = new Set(requests.map(({ metadata }) => metadata.uid));
		await expect
			.poll(
				async () =>
					(await world.requests()).filter(
						({ metadata, status }) => uids.has(metadata.uid) && isTerminal({ phase: status.overallPhase }),
					).length,
				{ timeout: 150_000, interval: 200 },
			)
			.toBe(200);
		await history.caughtUp();
		for (const { metadata } of requests) expect(history.madeFor(metadata.uid)).toHaveLength(1);
		expect(history.overlaps()).toEqual([]);
	}, 300_000);
});

function stateCounts(requests: readonly RemediationRequest[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of requests) {
		const phase = status.overallPhase ?? 'Pending';
		counts[phase] = (counts[phase] ?? 0) + 1;
	}
	return counts;
}

/** Duplicates wait for the request that runs, or for the oldest of their own workflow; that one waits for the target. */
function blockedRightly(
	{ spec, status }: RemediationRequest,
	holder: WorkflowExecution,
	running: RemediationRequest,
	signals: ReadonlyMap<string, string>,
): boolean {
	if (status.blockReason === 'DuplicateInProgress') {
		const original = status.duplicateOf?.uid ?? '';
		const isRightOne = spec.signalName !== running.spec.signalName || original === running.metadata.uid;
		return isRightOne && signals.get(original) === spec.signalName;
	}
	return (
		spec.signalName !== running.spec.signalName &&
		status.blockReason === 'ResourceBusy' &&
		status.blockingWorkflowExecution?.uid === holder.metadata.uid &&
		status.blockMessage?.includes(running.status.workflowExecutionRef?.name ?? 'none') === true
	);
}
