// Real Tekton: what cannot be run is Failed with the server's words; what is missing or away is waited for in Pending.
import { MERGE_PATCH, partSwitch } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { requestRun } from '../src/decide/run-policy.ts';
import { toExecution } from '../src/objects/execution.ts';
import { runName } from '../src/objects/run-engine.ts';
import { pipelineRunManifest } from '../src/objects/tekton-manifest.ts';
import { eventually } from './harness/eventually.ts';
import { startHeldExecutor } from './harness/held-executor.ts';
import { Pipelines } from './harness/pipelines.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
let pipelines: Pipelines;
beforeAll(async () => {
	world = await openWorld('bad-input', 1, { tekton: 'real', env: { EXECUTION_ALLOW_PIPELINE_SPEC: 'on' } });
	pipelines = new Pipelines(world);
	await pipelines.prepare();
	await pipelines.create('restart');
	await pipelines.create('endless', { play: { outcome: 'Running', stopsAfterMs: 500 } });
});
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;
const part = (name: 'tekton-webhook' | 'tekton-controller') => partSwitch(inject('controlPlane').directory ?? '', name);

async function expectReadiness(words: string, executor = world.processes[0]): Promise<void> {
	await eventually(
		async () => (await fetch(`${executor?.healthUrl}/readyz`)).text(),
		(text) => expect(text).toContain(words),
	);
}
async function metrics(): Promise<string> {
	return (await fetch(world.processes[0]?.metricsUrl ?? '')).text();
}
async function untilWaiting(name: string, reason: string): Promise<void> {
	await eventually(
		() => world.execution(name),
		(execution) =>
			expect(execution?.status, JSON.stringify(execution?.status)).toMatchObject({
				phase: 'Pending',
				conditions: expect.arrayContaining([expect.objectContaining({ type: 'Waiting', status: 'True', reason })]),
			}),
	);
}

describe('on real Tekton', () => {
	it("a pipeline that Tekton's webhook rejects is Failed with its words, without a run", async () => {
		const target = freshTarget();
		const tasks = [{ name: 'Not A Name', taskSpec: { steps: [] } }];
		const failed = await world.until(await world.createExecution(target, { pipelineSpec: { tasks } }), 'Failed');
		expect(failed.status?.failureDetails).toMatchObject({
			reason: 'ConfigurationError',
			message: expect.stringContaining('webhook.pipeline.tekton.dev'),
			wasExecutionFailure: false,
		});
		expect(await world.run(target)).toBeUndefined();
	});

	it("a run of a bundle is one that Tekton's webhook accepts", async () => {
		const target = freshTarget();
		const bundle = `registry.invalid/restart@sha256:${'0'.repeat(64)}`;
		const execution = toExecution(await world.createExecution(target, { pipelineRef: { name: 'restart', bundle } }));
		const policy = {
			serviceAccount: 'kubernaut-workflow',
			serviceAccounts: [],
			allowPipelineSpec: false,
			bundleRegistries: ['registry.invalid'],
		};
		const place = { namespace: world.namespace, podName: 'test', timeLeftMs: 60_000 };
		const request = requestRun(execution, policy, place);
		const body = 'run' in request ? pipelineRunManifest(request.run, world.workflows) : {};
		// A dry run: there is no such bundle.
		const { spec } = await world.api.call('POST', `${world.runsPath}?dryRun=All`, { body });
		expect(spec.pipelineRef).toEqual({
			resolver: 'bundles',
			params: [
				{ name: 'bundle', value: bundle },
				{ name: 'name', value: 'restart' },
				{ name: 'kind', value: 'pipeline' },
			],
		});
	});

	it('a policy that forbids it fails before a run exists, and names the key', async () => {
		const target = freshTarget();
		const failed = await world.until(
			await world.createExecution(target, { serviceAccountName: 'cluster-admin' }),
			'Failed',
		);
		expect(failed.status?.failureDetails).toMatchObject({
			reason: 'ConfigurationError',
			message: expect.stringContaining('EXECUTION_SERVICE_ACCOUNTS'),
			wasExecutionFailure: false,
		});
		expect(await world.run(target)).toBeUndefined();
	});

	it('a PipelineRun of another making that has the name is never touched', async () => {
		const target = freshTarget();
		const name = runName(target);
		const spec = { status: 'PipelineRunPending', pipelineRef: { name: 'restart' } };
		const body = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', metadata: { name }, spec };
		const made = await world.api.call('POST', world.runsPath, { body });
		const skipped = await world.until(await world.createExecution(target), 'Skipped');
		expect(skipped.status?.skipDetails).toMatchObject({ reason: 'ResourceBusy', heldBy: `PipelineRun ${name}` });
		const after = await world.run(target);
		expect(after?.['metadata'].uid).toBe(made['metadata'].uid);
		expect(after?.['metadata'].deletionTimestamp).toBeUndefined();
		expect(after?.['spec'].status).toBe('PipelineRunPending');
	});

	it('a quota is waited for until the time-out is used up, then it is ResourceExhausted', async () => {
		const admitRuns = await pipelines.forbidRuns();
		const short = await world.createExecution(freshTarget(), { timeout: '12s' });
		const long = await world.createExecution(freshTarget());
		const deleted = await world.createExecution(freshTarget());
		await untilWaiting(long.metadata.name, 'QuotaExceeded');
		await untilWaiting(deleted.metadata.name, 'QuotaExceeded');
		expect(await metrics()).toMatch(/^we_lock_waiters [23]$/m);
		await world.deleteExecution(deleted);
		await world.untilGone(deleted);
		await world.untilEvent(deleted.metadata.name, 'Cancelled');
		const failed = await world.until(short, 'Failed');
		expect(failed.status?.failureDetails).toMatchObject({ reason: 'ResourceExhausted', wasExecutionFailure: false });
		await admitRuns();
		await world.until(long, 'Completed');
	});

	it("while Tekton's webhook is away executions wait, readiness says so, and they go on by themselves", async () => {
		await part('tekton-webhook').stop('SIGKILL');
		const waiting = await world.createExecution(freshTarget());
		await untilWaiting(waiting.metadata.name, 'EngineUnavailable');
		await expectReadiness('failed calling webhook');
		await part('tekton-webhook').start();
		await world.until(waiting, 'Completed');
		await expectReadiness('"status":"ready"');
	});

	it("while Tekton's webhook is away a run that is over is not released, and it goes by itself when it is back", async () => {
		const target = freshTarget();
		// A long cooldown: without it the run may be gone before the webhook is.
		const completed = await world.until(await world.createExecution(target, { cooldown: '10m' }), 'Completed');
		const uid = completed.status?.pipelineRunRef?.uid ?? '';
		await part('tekton-webhook').stop('SIGKILL');
		await world.deleteExecution(completed);
		// Deletions pass without it. Every finalizer has to pass it, also those of the garbage collector, which waits for it.
		await eventually(
			() => pipelines.partsOf('pods', uid),
			(pods) => expect(pods).toEqual([]),
		);
		await world.settle();
		expect((await world.run(target))?.['metadata']).toMatchObject({
			deletionTimestamp: expect.any(String),
			finalizers: expect.arrayContaining(['kubernaut.ai/pipelinerun-lock']),
		});
		expect((await world.execution(completed.metadata.name))?.metadata.finalizers).toHaveLength(1);
		await part('tekton-webhook').start();
		await world.untilFree(target);
		await world.untilGone(completed);
		expect(await pipelines.partsOf('taskruns', uid)).toEqual([]);
	});

	it("Tekton's webhook goes away before our finalizer is taken off: readiness says so, and the release goes on when it is back", async () => {
		const other = await openWorld('held-release', 0, { tekton: 'real' });
		const others = new Pipelines(other);
		await others.prepare();
		await others.create('restart');
		const held = await startHeldExecutor(other, 'held-before-the-finalizer');
		// Create, claim, start, outcome, delete, finalizer.
		const isHeld = held.calls.hold(5, 'before');
		const target = freshTarget();
		const completed = await other.until(await other.createExecution(target), 'Completed');
		expect(await isHeld).toBe('PATCH pipelineruns');
		await part('tekton-webhook').stop('SIGKILL');
		held.calls.letGo();
		await expectReadiness('failed calling webhook', held.executor);
		expect((await other.run(target))?.['metadata'].finalizers).toContain('kubernaut.ai/pipelinerun-lock');
		await part('tekton-webhook').start();
		await other.untilFree(target);
		await expectReadiness('"status":"ready"', held.executor);
		await other.deleteExecution(completed);
		await other.untilGone(completed);
	});

	it("while Tekton's controller is away a run is started and waits, and nothing is started twice", async () => {
		await part('tekton-controller').stop('SIGKILL');
		const waiting = await world.until(await world.createExecution(freshTarget()), 'Running');
		await part('tekton-controller').start();
		await world.until(waiting, 'Completed');
		expect(await world.startsOf(waiting)).toBe(1);
	});

	it("while Tekton's controller is away a run that is deleted stays until it has ended, and nothing of it is left", async () => {
		const target = freshTarget();
		const running = await world.until(
			await world.createExecution(target, { pipelineRef: { name: 'endless' } }),
			'Running',
		);
		const uid = await pipelines.untilPodRuns(target);
		await part('tekton-controller').stop('SIGKILL');
		await world.deleteRun(target);
		await eventually(
			() => pipelines.partsOf('taskruns', uid),
			(tasks) => expect(tasks.map(({ spec }) => spec.status)).toEqual(['TaskRunCancelled']),
		);
		expect((await world.execution(running.metadata.name))?.status?.phase).toBe('Running');
		await part('tekton-controller').start();
		await world.until(running, 'Failed');
		await world.untilFree(target);
		expect(await pipelines.partsOf('pods', uid)).toEqual([]);
	});

	it('a missing right is waited for, readiness names the rule, and it goes on without a restart', async () => {
		const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.workflows}/roles/workflow-executor`;
		const { rules } = await world.api.call('GET', role);
		const lacking = rules.map((rule: { resources: string[]; verbs: string[] }) =>
			rule.resources.includes('pipelineruns')
				? { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') }
				: rule,
		);
		const setRules = (now: object[]) =>
			world.api.call('PATCH', role, { body: { rules: now }, contentType: MERGE_PATCH });
		await setRules(lacking);
		// The authorizer hears of a role by a watch.
		const waiting = await eventually(
			async () => {
				const made = await world.createExecution(freshTarget());
				await eventually(
					() => world.execution(made.metadata.name),
					(execution) => expect(execution?.status?.phase).toBeDefined(),
				);
				return world.execution(made.metadata.name);
			},
			(execution) => expect(execution?.status?.phase).toBe('Pending'),
		);
		await untilWaiting(waiting?.metadata.name ?? '', 'MissingRight');
		await expectReadiness('\\"resources\\":[\\"pipelineruns\\"],\\"verbs\\":[\\"create\\"]');
		await setRules(rules);
		if (waiting !== undefined) await world.until(waiting, 'Completed');
	});
});
