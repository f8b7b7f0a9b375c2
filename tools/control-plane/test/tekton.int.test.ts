// Real Tekton, controller-manager and scheduler beside the API server, and a node whose pods KWOK plays.
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { recordedProcesses } from '@kubernaut/workspace/owned-processes';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
	type ControlPlane,
	KubeApi,
	type KubeObject,
	MERGE_PATCH,
	type PodPlay,
	partSwitch,
	startControlPlane,
} from '../src/index.ts';
import { Pipelines, pendingRun, type TestTask } from './pipelines.ts';

let controlPlane: ControlPlane;
let api: KubeApi;
let pipelines: Pipelines;
beforeAll(async () => {
	const before = performance.now();
	controlPlane = await startControlPlane({ tekton: true });
	console.log(`ready after ${Math.round(performance.now() - before)} ms`);
	api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	const namespace = 'workflows';
	await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
	pipelines = new Pipelines(api, namespace);
	const account = `/api/v1/namespaces/${namespace}/serviceaccounts/default`; // no pod is admitted without it
	await pipelines.until(async () => ((await api.send('GET', account)).status === 200 ? true : undefined));
});
afterAll(async () => {
	for (const { name, pid } of recordedProcesses(controlPlane.directory!)) console.log(`${name}: ${memoryOf(pid)}`);
	await api.close();
	await controlPlane.stop();
});

function memoryOf(pid: number): string {
	try {
		return /^VmRSS:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 'gone';
	} catch {
		return 'gone'; // or no /proc
	}
}

it('says what it is', () => {
	expect(controlPlane.description).toMatch(/^Kubernetes 1\.\d+\.\d+ with Tekton 1\.15\.1 at https:/);
});

describe('a run that is created pending', () => {
	it('runs nothing until a patch that tests its uid starts it, and only once', async () => {
		const run = await pipelines.createPending('pending');
		await expect
			.poll(async () => (await api.call('GET', pipelines.path('pipelineruns', 'pending')))['status']?.conditions)
			.toMatchObject([{ status: 'Unknown', reason: 'PipelineRunPending' }]);
		expect(await pipelines.childrenOf('taskruns', run)).toEqual([]);
		expect((await pipelines.start({ metadata: { ...run['metadata'], uid: 'of-another' } })).status).toBe(422);
		expect((await pipelines.start(run)).status).toBe(200);
		expect((await pipelines.start(run)).status).toBe(422);
		expect(await pipelines.outcomeOf('pending')).toBe('Succeeded');
		expect(await pipelines.childrenOf('pods', run)).toMatchObject([{ status: { phase: 'Succeeded' } }]);
	});

	it('has a time-out that does not count while it is pending', async () => {
		const run = await pipelines.createPending('patient', { timeout: '2s' });
		await delay(4000);
		const waiting = await api.call('GET', pipelines.path('pipelineruns', 'patient'));
		expect(waiting['status']).toMatchObject({ conditions: [{ status: 'Unknown', reason: 'PipelineRunPending' }] });
		expect(waiting['status'].startTime).toBeUndefined();
		expect((await pipelines.start(run)).status).toBe(200);
		expect(['Succeeded', 'PipelineRunTimeout']).toContain(await pipelines.outcomeOf('patient'));
		// Ended as soon as it was started, if the time before had counted.
		expect(await pipelines.childrenOf('taskruns', run)).toHaveLength(1);
	});

	it('ends as cancelled without a task when it is cancelled', async () => {
		const run = await pipelines.createPending('never');
		await pipelines.cancel('never');
		expect(await pipelines.outcomeOf('never')).toBe('Cancelled');
		expect(await pipelines.childrenOf('taskruns', run)).toEqual([]);
	});

	it('gets what it does not say from the webhook, and its tasks an hour unless it says otherwise', async () => {
		const silent = await pipelines.createPending('hours', { timeout: '2h' });
		expect(silent['spec'].taskRunTemplate.serviceAccountName).toBe('default');
		const { spec } = pendingRun('hours');
		const timeouts = { pipeline: '2h', tasks: '2h' };
		const body = { ...pendingRun('all-hours'), spec: { ...spec, timeouts } };
		const said = await api.call('POST', pipelines.path('pipelineruns'), { body });
		for (const run of [silent, said]) expect((await pipelines.start(run)).status).toBe(200);
		const timeoutOf = (run: KubeObject) =>
			pipelines.until(async () => (await pipelines.childrenOf('taskruns', run))[0]?.['spec'].timeout as string);
		expect([await timeoutOf(silent), await timeoutOf(said)]).toEqual(['1h0m0s', '2h0m0s']);
	});

	it('is refused by Tekton’s own webhook when it is nonsense', async () => {
		const body = { ...pendingRun('nonsense'), spec: { status: 'PipelineRunPending', timeouts: { pipeline: '-1s' } } };
		const answer = await api.send('POST', pipelines.path('pipelineruns'), { body });
		expect(answer).toMatchObject({
			status: 400,
			body: { message: expect.stringContaining('webhook.pipeline.tekton') },
		});
	});
});

const PLAYS: { what: string; play: PodPlay; more?: TestTask; want: string }[] = [
	{ what: 'a step with an exit code', play: { outcome: 'Error', exitCode: 42 }, want: 'StepFailed' },
	{ what: 'a step without memory', play: { outcome: 'OOMKilled' }, want: 'StepOOM' },
	{
		what: 'a sidecar without memory',
		play: { outcome: 'OOMKilled', container: 'sidecar-proxy' },
		more: { sidecars: ['proxy'] },
		want: 'SidecarOOM',
	},
	{
		what: 'an init container without memory',
		play: { outcome: 'OOMKilled', container: 'prepare' },
		want: 'InitContainerOOM',
	},
	{ what: 'an evicted pod', play: { outcome: 'Evicted' }, want: 'PodEvicted' },
	{ what: 'an image that cannot be pulled', play: { outcome: 'ImagePullBackOff' }, want: 'TaskRunImagePullFailed' },
	{ what: 'an image name that cannot exist', play: { outcome: 'InvalidImageName' }, want: 'TaskRunImagePullFailed' },
	{
		what: 'a missing ConfigMap',
		play: { outcome: 'CreateContainerConfigError' },
		want: 'CreateContainerConfigError',
	},
	{ what: 'a container that cannot be made', play: { outcome: 'CreateContainerError' }, want: 'PodCreationFailed' },
];

describe('a played pod', () => {
	it('ends as its annotations say, and Tekton calls it by its reason', async () => {
		const outcomes = await Promise.all(
			PLAYS.map(async ({ what, play, more }, i) => {
				const run = await pipelines.run(`played-${i}`, { play, ...more });
				expect(await pipelines.outcomeOf(`played-${i}`)).toBe('Failed');
				const [taskRun] = await pipelines.childrenOf('taskruns', run);
				return `${what}: ${taskRun?.['status'].conditions[0].reason}`;
			}),
		);
		expect(outcomes).toEqual(PLAYS.map(({ what, want }) => `${what}: ${want}`));
	});

	it('that fails in its second step has run the first and skipped the third', async () => {
		const play: PodPlay = { outcome: 'Error', exitCode: 42, container: 'step-two' };
		const run = await pipelines.run('steps', { play, steps: ['one', 'two', 'three'] });
		expect(await pipelines.outcomeOf('steps')).toBe('Failed');
		const [taskRun] = await pipelines.childrenOf('taskruns', run);
		expect(taskRun?.['status']).toMatchObject({
			conditions: [{ message: '"step-two" exited with code 42: Error' }],
			steps: [
				{ name: 'one', terminated: { exitCode: 0, reason: 'Completed' } },
				{ name: 'two', terminated: { exitCode: 42, reason: 'Error' } },
				{ name: 'three', terminated: { exitCode: 1 }, terminationReason: 'Skipped' },
			],
		});
	});
});

describe('a run that does not end by itself', () => {
	it('is done when it is cancelled, before its pod is gone', async () => {
		const run = await pipelines.run('cancelled', { play: { outcome: 'Running', stopsAfterMs: 'never' } });
		const { metadata } = await pipelines.runningPod(run);
		await pipelines.cancel('cancelled');
		expect(await pipelines.outcomeOf('cancelled')).toBe('Cancelled');
		// It stays until it is removed by force, so a slow look finds it as well as a quick one.
		const stillRuns = { metadata: { uid: metadata.uid }, status: { containerStatuses: [{ state: { running: {} } }] } };
		expect(await pipelines.childrenOf('pods', run)).toMatchObject([stillRuns]);
		// Its TaskRun is done after it, and deletes the pod.
		const deleted = { metadata: { uid: metadata.uid, deletionTimestamp: expect.any(String) } };
		await expect.poll(() => pipelines.childrenOf('pods', run)).toMatchObject([deleted]);
		await api.call('DELETE', pipelines.path('pods', metadata.name), { body: { gracePeriodSeconds: 0 } });
		await expect.poll(() => pipelines.childrenOf('pods', run)).toEqual([]);
	});

	it('is ended by its time-out, which counts from the start', async () => {
		const run = await pipelines.run('late', { play: { outcome: 'Running' }, timeout: '2s' });
		expect(await pipelines.outcomeOf('late')).toBe('PipelineRunTimeout');
		await expect.poll(() => pipelines.childrenOf('pods', run)).toEqual([]);
	});

	it('has no time-out when it says 0', async () => {
		const run = await pipelines.run('endless', { play: { outcome: 'Running' }, timeout: '0s' });
		await pipelines.runningPod(run);
		await delay(3000);
		const { status } = await api.call('GET', pipelines.path('pipelineruns', 'endless'));
		expect(status.conditions).toMatchObject([{ status: 'Unknown', reason: 'Running' }]);
		await pipelines.cancel('endless');
		expect(await pipelines.outcomeOf('endless')).toBe('Cancelled');
	});

	it('is left alone while it is being deleted: neither its time-out nor a cancel ends it', async () => {
		const run = await pipelines.run('held', { play: { outcome: 'Running' }, timeout: '10s' });
		const path = pipelines.path('pipelineruns', 'held');
		const finalizers = (names: string[]) =>
			api.call('PATCH', path, { body: { metadata: { finalizers: names } }, contentType: MERGE_PATCH });
		await finalizers(['kubernaut.ai/test']);
		await pipelines.runningPod(run);
		await api.call('DELETE', path, { body: { propagationPolicy: 'Background' } });
		await pipelines.cancel('held');
		await delay(12_000);
		const { status } = await api.call('GET', path);
		expect(status.conditions).toMatchObject([{ status: 'Unknown' }]);
		expect(await pipelines.childrenOf('taskruns', run)).toMatchObject([
			{ spec: expect.not.objectContaining({ status: expect.anything() }) },
		]);
		await finalizers([]);
		await expect.poll(() => pipelines.childrenOf('pods', run)).toEqual([]);
	});

	it('goes with its TaskRuns and pods when it is deleted in the foreground', async () => {
		const run = await pipelines.run('deleted', { play: { outcome: 'Running', stopsAfterMs: 1_000 } });
		await pipelines.runningPod(run);
		const path = pipelines.path('pipelineruns', 'deleted');
		// The answer is the run as it waits: on a busy machine it may be gone before it could be read again.
		const waiting = await api.call('DELETE', path, { body: { propagationPolicy: 'Foreground' } });
		expect(waiting).toMatchObject({ metadata: { uid: run['metadata'].uid, finalizers: ['foregroundDeletion'] } });
		await expect.poll(async () => (await api.send('GET', path)).status).toBe(404);
		// Its pod may stay a moment longer: a collector that has not seen a young pod yet takes its TaskRun for one without
		// dependents, and deletes that in the background. The executor waits for pods by a finalizer of its own.
		await expect.poll(() => pipelines.childrenOf('taskruns', run)).toEqual([]);
		await expect.poll(() => pipelines.childrenOf('pods', run)).toEqual([]);
	});
});

describe('an outage', () => {
	it('of the controller leaves a run as it is until it is back', async () => {
		const controller = partSwitch(controlPlane.directory!, 'tekton-controller');
		await controller.stop('SIGKILL');
		const run = await pipelines.run('waiting');
		expect(await pipelines.childrenOf('taskruns', run)).toEqual([]);
		await controller.start();
		expect(await pipelines.outcomeOf('waiting')).toBe('Succeeded');
	});

	it('of the webhook refuses every write of a run, and passes', async () => {
		const webhook = partSwitch(controlPlane.directory!, 'tekton-webhook');
		await webhook.stop('SIGKILL');
		const path = pipelines.path('pipelineruns');
		const refused = await api.send('POST', path, { body: pendingRun('refused') });
		expect(refused).toMatchObject({
			status: 500,
			body: { message: expect.stringContaining('failed calling webhook') },
		});
		await webhook.start();
		await expect.poll(async () => (await api.send('POST', path, { body: pendingRun('refused') })).status).toBe(201);
	});
});
