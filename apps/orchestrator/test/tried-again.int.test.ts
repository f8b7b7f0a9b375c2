// What a crowd of requests on one target comes to: equal ones are duplicates, others are not; a failure is tried again by
// the next of them, three failures end in one escalation. Real processes; the executor is played.
import { atTheEnd } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { eventually } from './harness/eventually.ts';
import { type ExecutionHistory, recordExecutions } from './harness/execution-history.ts';
import { nameOf } from './harness/objects.ts';
import { PlayedExecutor } from './harness/played-executor.ts';
import { openWorld, type World } from './harness/world.ts';

const FLAKY = 'crowd/Deployment/flaky';
const HOPELESS = 'crowd/Deployment/hopeless';
/** Targets whose executions are played, and the number of runs that fail before one succeeds. */
const fates = new Map<string, number>();
let world: World;
let history: ExecutionHistory;
beforeAll(async () => {
	const env = { RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s', ROUTING_FAILURE_BACKOFF: '1s' };
	world = await openWorld('again', 3, env, async (prepared) => {
		history = await recordExecutions(prepared.namespace);
		await prepared.createWorkflow('restart', { signalNames: ['Crash'] });
		await prepared.createWorkflow('scale', { signalNames: ['TooSmall'] });
		await prepared.createWorkflow('clean', { signalNames: ['DiskFull'], parameters: { DISK: '{{ labels.disk }}' } });
	});
	const executor = new PlayedExecutor(world, 300, ({ spec }) => {
		const failures = fates.get(spec.targetResource);
		if (failures === undefined) return undefined;
		return spec.chain < failures ? 'Failed' : 'Completed';
	});
	atTheEnd(() => executor.stop());
});

/** Waiting or executing, every one of them. */
async function aCrowd(size: number, target: string): Promise<RemediationRequest[]> {
	const requests = await Promise.all(
		Array.from({ length: size }, () => world.createRequest({ target, signalName: 'Crash' })),
	);
	await eventually(
		() => statesOf(requests),
		(states) => expect(states).toEqual({ Executing: 1, DuplicateInProgress: size - 1 }),
	);
	return requests;
}

/** How many are in which phase, or blocked for which reason; of finished ones the outcome stands, too. */
async function statesOf(requests: readonly RemediationRequest[]): Promise<Record<string, number>> {
	const names = new Set(requests.map(nameOf));
	const mine = (await world.requests()).filter((request) => names.has(nameOf(request)));
	const states: Record<string, number> = {};
	for (const { status } of mine) {
		const phase = status.overallPhase ?? 'Pending';
		const state = status.blockReason ?? (status.outcome === undefined ? phase : `${phase} ${status.outcome}`);
		states[state] = (states[state] ?? 0) + 1;
	}
	return states;
}

async function notificationsOf(requests: readonly RemediationRequest[]): Promise<string[]> {
	const uids = new Set(requests.map(({ metadata }) => metadata.uid));
	const all = (await world.notifications()).filter(({ spec }) => uids.has(spec.remediationRequestRef?.uid ?? ''));
	return all.map(({ spec }) => spec.subject.split(':')[0] ?? '').toSorted();
}

describe('100 requests with one target, whose first run fails and whose second succeeds', () => {
	it('have two executions, one at a time: one request fails, one is remediated, 98 are remediated by another', async () => {
		const requests = await aCrowd(100, FLAKY);
		fates.set(FLAKY, 1);
		await eventually(
			() => statesOf(requests),
			(states) =>
				expect(states).toEqual({
					'Failed RemediationFailed': 1,
					'Completed Remediated': 1,
					'Skipped RemediatedByAnother': 98,
				}),
		);
		expect((await history.caughtUp()).overlaps()).toEqual([]);
		const executions = await world.executionsOn(FLAKY);
		expect(executions.map(({ status }) => status?.phase)).toEqual(['Failed', 'Completed']);
		const ended = await Promise.all(executions.map(({ spec }) => world.request(spec.remediationRequestRef.name)));
		expect(ended.map(({ status }) => status.overallPhase)).toEqual(['Failed', 'Completed']);
		await world.afterwards();
		expect(await notificationsOf(requests)).toEqual(['Remediated', 'Remediation failed']);
	}, 240_000);
});

describe('50 requests with one target, whose every run fails', () => {
	it('have three executions and one escalation; a workflow that did not fail may still run', async () => {
		const requests = await aCrowd(50, HOPELESS);
		fates.set(HOPELESS, Infinity);
		await eventually(
			() => statesOf(requests),
			(states) => expect(states).toEqual({ 'Failed RemediationFailed': 3, ConsecutiveFailures: 47 }),
		);
		const executions = await world.executionsOn(HOPELESS);
		expect(executions.map(({ status }) => status?.phase)).toEqual(['Failed', 'Failed', 'Failed']);
		await world.afterwards();
		const failed = Array(3).fill('Remediation failed');
		expect(await notificationsOf(requests)).toEqual([...failed, 'Repeated failures']);

		fates.set(HOPELESS, 3);
		const other = await world.createRequest({ target: HOPELESS, signalName: 'TooSmall' });
		await world.until(nameOf(other), 'Completed');
		expect(await statesOf(requests)).toMatchObject({ ConsecutiveFailures: 47 });
	}, 240_000);
});

describe('a request that waits behind a run of something else', () => {
	it('is not its duplicate when the workflow was edited meanwhile: what it asks for runs', async () => {
		const target = 'other/Deployment/edited';
		await world.createWorkflow('fix', { signalNames: ['Broken'] });
		const first = await world.createRequest({ target, signalName: 'Broken' });
		const running = await world.untilExecuting(first);
		await world.editWorkflow('fix', { pipelineRef: { name: 'fixed' } });
		const second = await world.createRequest({ target, signalName: 'Broken' });
		await world.until(nameOf(second), 'ResourceBusy');
		await world.endExecution(nameOf(running), 'Completed');
		const { spec } = await world.untilExecuting(second);
		expect(spec).toMatchObject({ pipelineRef: { name: 'fixed' }, workflowRef: { generation: 2 } });
	});

	it('is not its duplicate when its parameters differ: two disks of one node are both cleaned', async () => {
		const target = 'Node/worker-1';
		const full = (disk: string) => world.createRequest({ target, signalName: 'DiskFull', labels: { disk } });
		const first = await full('sda');
		const running = await world.untilExecuting(first);
		const [second, third] = [await full('sdb'), await full('sda')];
		await world.until(nameOf(second), 'ResourceBusy');
		const { status } = await world.until(nameOf(third), 'DuplicateInProgress');
		expect(status.duplicateOf?.name).toBe(nameOf(first));
		await world.endExecution(nameOf(running), 'Completed');
		await world.until(nameOf(third), 'Skipped');
		expect((await world.untilExecuting(second)).spec.parameters).toEqual({ DISK: 'sdb' });
	});
});
