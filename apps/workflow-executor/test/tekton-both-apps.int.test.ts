// Real Tekton, the orchestrator and executors: a RemediationRequest is deleted in every phase, and the chain of its target goes on.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { Orchestrated } from './harness/orchestrated.ts';
import { openTektonWorld, type TektonWorld } from './harness/tekton-world.ts';

let cluster: TektonWorld;
let requests: Orchestrated;
let orchestrators = 0;
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

	it('no promise was broken', async () => {
		expect(await cluster.brokenPromises()).toEqual([]);
	});
});
