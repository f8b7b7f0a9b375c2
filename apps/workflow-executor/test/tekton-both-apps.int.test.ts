// Real Tekton, the orchestrator and executors: a RemediationRequest is deleted in every phase, and the chain of its target goes on.
import { beforeAll, describe, expect, it } from 'vitest';
import { SUCCESSOR_WITHIN_MS } from '../src/decide/announced-successor.ts';
import { runName } from '../src/objects/run-engine.ts';
import { eventually } from './harness/eventually.ts';
import { Orchestrated } from './harness/orchestrated.ts';
import { openTektonWorld, type TektonWorld } from './harness/tekton-world.ts';

let cluster: TektonWorld;
let requests: Orchestrated;
let orchestrators = 0;
/** Of an execution that announces a successor which no request wants. It begins first: it takes as long as all other tests. */
let deletedAt: number;
let goneAt: Promise<number>;
beforeAll(async () => {
	cluster = await openTektonWorld('both', 3);
	await cluster.pipelines.create('failing', { play: { outcome: 'Error' } });
	await cluster.pipelines.create('patient');
	requests = new Orchestrated(cluster.world);
	await requests.createWorkflow('restart');
	await requests.createWorkflow('endless');
	await requests.createWorkflow('failing');
	await requests.createWorkflow('patient', '10m');
	await requests.start(`orchestrator-${orchestrators++}`);
	const request = await requests.createRequest('restart', freshTarget());
	await requests.untilPhase(request, 'Completed');
	const execution = await requests.executionOf(request);
	await requests.announceSuccessor(execution);
	deletedAt = Math.floor(Date.now() / 1000) * 1000; // as the API server writes it
	await requests.deleteRequest(request);
	goneAt = eventually(
		() => cluster.world.execution(execution.metadata.name),
		(found) => expect(found).toBeUndefined(),
		2 * SUCCESSOR_WITHIN_MS,
	).then(() => Date.now());
	goneAt.catch(() => {}); // its test awaits it
});
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;

const PHASES = [
	{ phase: 'Executing', workflow: 'endless' },
	{ phase: 'Completed', workflow: 'patient' },
	{ phase: 'Failed', workflow: 'failing' },
] as const;

describe('on real Tekton, with the orchestrator', () => {
	it.each(PHASES)(
		'a RemediationRequest that is deleted when it is $phase takes its execution and its run with it',
		async ({ phase, workflow }) => {
			const { world, pipelines } = cluster;
			const target = freshTarget();
			const request = await requests.createRequest(workflow, target);
			await requests.untilPhase(request, phase);
			const execution = await requests.executionOf(request);
			if (phase === 'Executing') await pipelines.untilPodRuns(target);
			await requests.deleteRequest(request);
			await world.untilGone(execution);
			await world.untilFree(target);
			expect(await pipelines.partsOf('pods', execution.status?.pipelineRunRef?.uid ?? '')).toEqual([]);
			// The target is free for the next.
			await requests.untilPhase(await requests.createRequest('restart', target), 'Completed');
		},
	);

	it('a RemediationRequest that is deleted when it is Blocked costs the holder of the target nothing', async () => {
		const { world } = cluster;
		const target = freshTarget();
		const holder = await requests.createRequest('patient', target);
		await requests.untilPhase(holder, 'Completed');
		const blocked = await requests.createRequest('restart', target);
		await requests.untilPhase(blocked, 'Blocked');
		await requests.deleteRequest(blocked);
		const { status } = await requests.executionOf(holder);
		const run = await world.run(target);
		expect(run?.['metadata'].uid).toBe(status?.pipelineRunRef?.uid);
		expect(run?.['metadata'].deletionTimestamp).toBeUndefined();
	});

	it('a RemediationRequest that is deleted while its execution is Pending takes it along, and no run was ever made', async () => {
		const { world, pipelines } = cluster;
		const target = freshTarget();
		const admitRuns = await pipelines.forbidRuns();
		const request = await requests.createRequest('restart', target);
		const other = await requests.createRequest('restart', freshTarget());
		const pending = await world.until(await requests.executionOf(request), 'Pending');
		await requests.deleteRequest(request);
		await world.untilGone(pending);
		expect(await cluster.startsOf(pending)).toBe(0);
		expect(await world.run(target)).toBeUndefined();
		await admitRuns();
		await requests.untilPhase(other, 'Completed');
		await requests.untilPhase(await requests.createRequest('restart', target), 'Completed');
	});

	it('a RemediationRequest that is deleted while its execution is Skipped takes all of its executions along', async () => {
		const { world } = cluster;
		const target = freshTarget();
		// A run of another making has the name: the orchestrator answers every Skipped with another execution.
		const spec = { status: 'PipelineRunPending', pipelineRef: { name: 'restart' } };
		const body = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', metadata: { name: runName(target) }, spec };
		const foreign = await world.api.call('POST', world.runsPath, { body });
		const request = await requests.createRequest('restart', target);
		const executions = async () =>
			(await world.executions()).filter((one) => one.spec.remediationRequestRef.uid === request['metadata'].uid);
		await eventually(executions, (all) => expect(all.map(({ status }) => status?.phase)).toContain('Skipped'));
		await requests.deleteRequest(request);
		await eventually(executions, (all) => expect(all.map(({ metadata }) => metadata.name)).toEqual([]));
		expect((await world.run(target))?.['metadata']).toMatchObject({ uid: foreign['metadata'].uid });
		await world.deleteRun(target);
		await world.untilFree(target);
		await requests.untilPhase(await requests.createRequest('restart', target), 'Completed');
	});

	it('an execution that is deleted after its successor was announced and before that was made: the target goes on', async () => {
		const { world } = cluster;
		const target = freshTarget();
		const request = await requests.createRequest('restart', target);
		await requests.untilPhase(request, 'Completed');
		const execution = await requests.executionOf(request);
		const orchestrator = world.processes.find(({ podName }) => podName.startsWith('orchestrator'));
		await orchestrator?.stop();
		const successor = await requests.announceSuccessor(execution);
		await requests.deleteRequest(request);
		await eventually(
			() => world.execution(execution.metadata.name),
			(found) => expect(found?.metadata.deletionTimestamp).toBeDefined(),
		);
		await world.untilFree(target);
		await world.settle();
		// Without it, the next link would fork the chain.
		expect((await world.execution(execution.metadata.name))?.metadata.finalizers).toEqual([
			'kubernaut.ai/pipelinerun-cleanup',
		]);
		await requests.start(`orchestrator-${orchestrators++}`);
		const next = await requests.createRequest('restart', target);
		await requests.untilPhase(next, 'Completed');
		expect((await requests.executionOf(next)).metadata.name).toBe(successor);
		await world.untilGone(execution);
	});

	it('an execution whose announced successor no request wants goes when no create of it can land any more', async () => {
		expect(await goneAt).toBeGreaterThanOrEqual(deletedAt + SUCCESSOR_WITHIN_MS);
	});

	it('no promise was broken', async () => {
		expect(await cluster.brokenPromises()).toEqual([]);
	});
});
