// Many requests at once, three processes: a target is never worked on twice at a time, and nothing is lost.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ExecutionHistory, recordExecutions } from './harness/execution-history.ts';
import { playExecutor } from './harness/executor.ts';
import { openWorld, type World } from './harness/world.ts';

const TERMINAL = ['Completed', 'Failed', 'TimedOut', 'Skipped', 'Cancelled'];

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
	it('have one execution at a time; equal ones share its outcome, others take their turn after the cooldown', async () => {
		const signalOf = (i: number) => (i % 10 === 0 ? 'TooSlow' : i % 10 === 5 ? 'ErrorRate' : 'CrashLooping');
		const requests = await Promise.all(
			Array.from({ length: 100 }, (_, i) => world.createRequest({ signalName: signalOf(i) })),
		);
		const names = new Set(requests.map(({ metadata }) => metadata.name as string));
		const mine = async () => (await world.requests()).filter(({ metadata }) => names.has(metadata.name));

		// Before anything ends: one runs, those that ask for the same wait for it, the others for its target.
		await expect
			.poll(async () => (await mine()).filter(({ status }) => status.overallPhase !== undefined).length, {
				timeout: 60_000,
			})
			.toBe(100);
		await expect.poll(async () => stateCounts(await mine()), { timeout: 60_000 }).toMatchObject({ Executing: 1 });
		const [running] = (await mine()).filter(({ status }) => status.overallPhase === 'Executing');
		const first = await world.executionOf(running as KubeObject);
		const signals = new Map(requests.map(({ metadata, spec }) => [metadata.uid as string, spec.signalName as string]));
		await expect
			.poll(
				async () =>
					(await mine()).filter((request) => blockedRightly(request, first, running as KubeObject, signals)).length,
				{ timeout: 60_000 },
			)
			.toBe(99);

		playExecutor(world, { runMs: 100 });
		await expect
			.poll(async () => (await mine()).filter(({ status }) => !TERMINAL.includes(status.overallPhase)).length, {
				timeout: 120_000,
				interval: 200,
			})
			.toBe(0);
		expect((await history.caughtUp()).overlaps()).toEqual([]);
		const ended = await mine();
		const ran = ended.filter(({ metadata }) => history.madeFor(metadata.uid).length > 0);
		expect(ran.map(({ spec }) => spec.signalName as string).toSorted()).toEqual([
			'CrashLooping',
			'ErrorRate',
			'TooSlow',
		]);
		expect(stateCounts(ended)).toEqual({ Completed: 3, Skipped: 97 });
		expect(
			new Set(ended.filter(({ status }) => status.overallPhase === 'Skipped').map(({ status }) => status.outcome)),
		).toEqual(new Set(['Remediated']));
		const executions = (await world.executions()).toSorted((a, b) => a['spec'].chain - b['spec'].chain);
		expect(executions.map(({ spec }) => spec.chain)).toEqual([0, 1, 2]);
		for (const [i, later] of executions.slice(1).entries()) {
			const endedAt = Date.parse(executions[i]!['status'].completionTime);
			// Creation times are whole seconds, rounded down: a cooldown of one second shows as none at the least.
			expect(Date.parse(later['metadata'].creationTimestamp)).toBeGreaterThanOrEqual(
				Math.floor(endedAt / 1000) * 1000 + 1000,
			);
		}
		// A hundred alerts are not a hundred pages: not in the end, either.
		const told = async () =>
			(await world.notifications()).filter(({ spec }) => names.has(spec.remediationRequestRef.name)).length;
		await expect.poll(told).toBe(3);
		await world.afterwards();
		expect(await told()).toBe(3);
	}, 400_000);
});

describe('200 requests on 200 targets', () => {
	it('have 200 executions, each once', async () => {
		const requests = await Promise.all(
			Array.from({ length: 200 }, (_, i) =>
				world.createRequest({ signalName: 'CrashLooping', target: `shop/Pod/p${i}` }),
			),
		);
		const uids = new Set(requests.map(({ metadata }) => metadata.uid as string));
		await expect
			.poll(
				async () =>
					(await world.requests()).filter(
						({ metadata, status }) => uids.has(metadata.uid) && TERMINAL.includes(status.overallPhase),
					).length,
				{ timeout: 150_000, interval: 200 },
			)
			.toBe(200);
		await history.caughtUp();
		for (const { metadata } of requests) expect(history.madeFor(metadata.uid)).toHaveLength(1);
		expect(history.overlaps()).toEqual([]);
	}, 300_000);
});

function stateCounts(requests: readonly KubeObject[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of requests) counts[status.overallPhase] = (counts[status.overallPhase] ?? 0) + 1;
	return counts;
}

/** Equal ones wait for the one that runs, or for the oldest of their own kind; that one waits for the target. */
function blockedRightly(
	{ spec, status }: KubeObject,
	holder: KubeObject,
	running: KubeObject,
	signals: ReadonlyMap<string, string>,
): boolean {
	if (status.blockReason === 'DuplicateInProgress') {
		const original = status.duplicateOf.uid as string;
		const isRightOne = spec.signalName !== running['spec'].signalName || original === running['metadata'].uid;
		return isRightOne && signals.get(original) === spec.signalName;
	}
	return (
		spec.signalName !== running['spec'].signalName &&
		status.blockReason === 'ResourceBusy' &&
		status.blockingWorkflowExecution.uid === holder['metadata'].uid &&
		status.blockMessage.includes(running['status'].workflowExecutionRef.name)
	);
}
