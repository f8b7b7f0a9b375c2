// Each outcome that KWOK can play, on real Tekton: what the status of the execution says.
import type { PodPlay } from '@kubernaut/control-plane';
import { beforeAll, expect, it } from 'vitest';
import { Pipelines, type TestTask } from './harness/pipelines.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
let pipelines: Pipelines;
beforeAll(async () => {
	world = await openWorld('outcomes', 1, { tekton: 'real' });
	pipelines = new Pipelines(world);
	await pipelines.prepare();
});

const PLAYS: { what: string; play: PodPlay; more?: TestTask; want: object }[] = [
	{
		what: 'exit-code',
		play: { outcome: 'Error', exitCode: 42 },
		want: { reason: 'TaskFailed', failedTask: 'only', failedStep: 'repair', exitCode: 42, wasExecutionFailure: true },
	},
	{ what: 'step-oom', play: { outcome: 'OOMKilled' }, want: { reason: 'OOMKilled', failedStep: 'repair' } },
	{
		what: 'sidecar-oom',
		play: { outcome: 'OOMKilled', container: 'sidecar-proxy' },
		more: { sidecars: ['proxy'] },
		want: { reason: 'OOMKilled' },
	},
	{ what: 'init-oom', play: { outcome: 'OOMKilled', container: 'prepare' }, want: { reason: 'OOMKilled' } },
	{ what: 'evicted', play: { outcome: 'Evicted' }, want: { reason: 'ResourceExhausted' } },
	{
		what: 'image',
		play: { outcome: 'ImagePullBackOff' },
		want: { reason: 'ImagePullBackOff', wasExecutionFailure: false },
	},
	{
		what: 'config',
		play: { outcome: 'CreateContainerConfigError' },
		want: { reason: 'ConfigurationError', wasExecutionFailure: false },
	},
	{
		what: 'container',
		play: { outcome: 'CreateContainerError' },
		want: { reason: 'ConfigurationError', wasExecutionFailure: false },
	},
];

it('on real Tekton every outcome that can be played is written with its reason', async () => {
	const outcomes = await Promise.all(
		PLAYS.map(async ({ what, play, more }) => {
			await pipelines.create(what, { play, ...more });
			const execution = await world.createExecution(`shop/Deployment/${what}`, { pipelineRef: { name: what } });
			return (await world.until(execution, 'Failed')).status?.failureDetails;
		}),
	);
	expect(outcomes).toMatchObject(PLAYS.map(({ want }) => want));
});
