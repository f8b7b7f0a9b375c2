// Each outcome that KWOK can play, on real Tekton: what the status of the execution says. Outcomes that Tekton's own webhook
// keeps away from its controller are judged from recorded statuses: recorded-outcomes.test.ts.
import type { PodPlay } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowExecutionSpec } from '../src/generated/workflow-execution.ts';
import { eventually } from './harness/eventually.ts';
import { Pipelines, type TestTask } from './harness/pipelines.ts';
import { openWorld, type World } from './harness/world.ts';

type Case = {
	readonly task?: TestTask | 'missing';
	readonly spec?: Partial<WorkflowExecutionSpec>;
	readonly want: object;
};

const MERGE_PATCH = 'application/merge-patch+json';
/** Long enough for all pods to be made on a busy machine. */
const SHORT = { timeout: '30s' } as const;
const PATIENCE_MS = 180_000;
const GPU = 'example.com/gpu';
const failed = (reason: string, more: object = {}) => ({ phase: 'Failed', failureDetails: { reason, ...more } });
const neverBegan = (reason: string, more: object = {}) => failed(reason, { wasExecutionFailure: false, ...more });
const began = (reason: string, more: object = {}) =>
	failed(reason, { wasExecutionFailure: true, failedTask: 'only', ...more });
const plays = (play: PodPlay, want: object, more: TestTask = {}): Case => ({ task: { play, ...more }, want });
const asks = (resources: object): TestTask => ({
	step: { computeResources: { requests: resources, limits: resources } },
});

const CASES: Readonly<Record<string, Case>> = {
	Succeeded: { want: { phase: 'Completed' } },
	Completed: {
		task: { task: { when: [{ input: 'a', operator: 'in', values: ['b'] }] } },
		want: { phase: 'Completed' },
	},
	Cancelled: { task: { play: { outcome: 'Running' } }, want: began('Cancelled') },
	PipelineRunTimeout: {
		task: { play: { outcome: 'Running' } },
		spec: SHORT,
		want: began('DeadlineExceeded'),
	},
	'PipelineRunTimeout after ExceededNodeResources': {
		task: asks({ cpu: '1000' }),
		spec: SHORT,
		want: neverBegan('ResourceExhausted'),
	},
	'PipelineRunTimeout after ExceededResourceQuota': {
		task: asks({ [GPU]: '1' }),
		spec: SHORT,
		want: neverBegan('ResourceExhausted'),
	},
	'PipelineRunTimeout after PullImageFailed': {
		task: { play: { outcome: 'ErrImagePull' } },
		spec: SHORT,
		want: neverBegan('ImagePullBackOff'),
	},
	CouldntGetPipeline: { task: 'missing', want: neverBegan('ConfigurationError') },
	CouldntGetTask: { task: { task: { taskRef: { name: 'missing' } } }, want: neverBegan('ConfigurationError') },
	ParameterMissing: {
		task: { pipeline: { params: [{ name: 'REPLICAS' }] } },
		want: neverBegan('ConfigurationError'),
	},
	ParameterTypeMismatch: {
		task: { pipeline: { params: [{ name: 'TARGET_NAME', type: 'array' }] } },
		want: neverBegan('ConfigurationError'),
	},
	InvalidWorkspaceBindings: {
		task: { pipeline: { workspaces: [{ name: 'cache' }] } },
		want: neverBegan('ConfigurationError'),
	},
	StepFailed: plays(
		{ outcome: 'Error', exitCode: 42, container: 'step-two' },
		began('TaskFailed', {
			failedStep: 'two',
			exitCode: 42,
			summary: 'Step two of task only failed with exit code 42.',
		}),
		{ steps: ['one', 'two', 'three'] },
	),
	StepOOM: plays({ outcome: 'OOMKilled' }, began('OOMKilled', { failedStep: 'repair' })),
	SidecarOOM: plays({ outcome: 'OOMKilled', container: 'sidecar-proxy' }, began('OOMKilled'), { sidecars: ['proxy'] }),
	InitContainerOOM: plays({ outcome: 'OOMKilled', container: 'prepare' }, failed('OOMKilled')),
	TaskRunTimeout: plays({ outcome: 'Running' }, began('DeadlineExceeded'), { task: { timeout: '20s' } }),
	TaskRunImagePullFailed: plays({ outcome: 'ImagePullBackOff' }, neverBegan('ImagePullBackOff')),
	'TaskRunImagePullFailed by its name': plays({ outcome: 'InvalidImageName' }, neverBegan('ImagePullBackOff')),
	PodEvicted: plays({ outcome: 'Evicted' }, began('ResourceExhausted')),
	CreateContainerConfigError: plays({ outcome: 'CreateContainerConfigError' }, neverBegan('ConfigurationError')),
	PodCreationFailed: plays({ outcome: 'CreateContainerError' }, neverBegan('ConfigurationError')),
};
const NAMES = Object.keys(CASES);
const pipelineOf = (name: string) => name.toLowerCase().replaceAll(' ', '-');
const targetOf = (name: string) => `shop/Deployment/${pipelineOf(name)}`;

let world: World;
let pipelines: Pipelines;
beforeAll(async () => {
	world = await openWorld('outcomes', 1, { tekton: 'real' });
	pipelines = new Pipelines(world);
	await pipelines.prepare();
	await world.api.call('POST', `/api/v1/namespaces/${world.workflows}/resourcequotas`, {
		body: { metadata: { name: 'no-gpu' }, spec: { hard: { [`requests.${GPU}`]: '0' } } },
	});
	await eventually(
		() => world.api.call('GET', `/api/v1/namespaces/${world.workflows}/resourcequotas/no-gpu`),
		({ status }) => expect(status?.hard).toBeDefined(),
	);
});

describe('on real Tekton', () => {
	it('every outcome that can be played is written with its reason', async () => {
		const statuses = await Promise.all(
			NAMES.map(async (name) => {
				const { task = {}, spec = {} } = CASES[name] ?? {};
				if (task !== 'missing') await pipelines.create(pipelineOf(name), task);
				const execution = await world.createExecution(targetOf(name), {
					pipelineRef: { name: pipelineOf(name) },
					...spec,
				});
				if (name === 'Cancelled') {
					await pipelines.untilPodRuns(targetOf(name));
					await pipelines.cancel(targetOf(name));
				}
				const over = await eventually(
					() => world.execution(execution.metadata.name),
					(found) =>
						expect(found?.status?.phase, `${name}: ${JSON.stringify(found?.status)}`).toMatch(
							/Completed|Failed|Skipped/,
						),
					PATIENCE_MS,
				);
				return [name, over?.status];
			}),
		);
		expect(Object.fromEntries(statuses)).toMatchObject(
			Object.fromEntries(NAMES.map((name) => [name, CASES[name]?.want])),
		);
		// Whatever was left of them does not hold their targets.
		for (const name of NAMES) await world.untilFree(targetOf(name));
		expect(await pipelines.all('pods')).toEqual([]);
	});

	it('in a namespace that enforces the standard restricted, what says nothing is Forbidden, and what complies runs', async () => {
		await pipelines.create('loose');
		await setSecurityContexts('true');
		try {
			await untilPodsHaveSecurityContexts();
			const enforce = { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } };
			await world.api.call('PATCH', `/api/v1/namespaces/${world.workflows}`, {
				body: enforce,
				contentType: MERGE_PATCH,
			});
			await untilEnforced();
			const securityContext = {
				allowPrivilegeEscalation: false,
				runAsNonRoot: true,
				capabilities: { drop: ['ALL'] },
				seccompProfile: { type: 'RuntimeDefault' },
			};
			await pipelines.create('strict', { step: { securityContext } });
			const run = (name: string) => world.createExecution(targetOf(name), { pipelineRef: { name } });
			const [loose, strict] = await Promise.all([run('loose'), run('strict')]);
			const { status } = await world.until(loose, 'Failed');
			expect(status?.failureDetails).toMatchObject({
				reason: 'Forbidden',
				message: expect.stringContaining('violates PodSecurity'),
				wasExecutionFailure: false,
			});
			await world.until(strict, 'Completed');
		} finally {
			await setSecurityContexts('false');
		}
	});
});

/** Tekton's controller hears of its flags by a watch. */
async function untilPodsHaveSecurityContexts(): Promise<void> {
	let runs = 0;
	await eventually(
		async () => {
			const spec = { pipelineRef: { name: 'loose' }, cooldown: '10m' };
			const run = await world.createExecution(targetOf(`Flags ${runs++}`), spec);
			const { status } = await world.until(run, 'Completed');
			return pipelines.partsOf('pods', status?.pipelineRunRef?.uid ?? '');
		},
		(pods) => {
			const containers = pods.flatMap(({ spec }) => (spec.initContainers ?? []) as { securityContext?: object }[]);
			expect(containers.map(({ securityContext }) => securityContext)).toContainEqual(
				expect.objectContaining({ allowPrivilegeEscalation: false }),
			);
		},
	);
}

/** The API server hears of the labels of a namespace by a watch. */
async function untilEnforced(): Promise<void> {
	const pod = { metadata: { generateName: 'loose-' }, spec: { containers: [{ name: 'loose', image: 'played' }] } };
	await eventually(
		() => world.api.send('POST', `/api/v1/namespaces/${world.workflows}/pods?dryRun=All`, { body: pod }),
		({ body }) => expect(body['message']).toContain('violates PodSecurity'),
	);
}

/** Of the containers that Tekton puts beside the steps. */
async function setSecurityContexts(value: 'true' | 'false'): Promise<void> {
	await world.api.call('PATCH', '/api/v1/namespaces/tekton-pipelines/configmaps/feature-flags', {
		body: { data: { 'set-security-context': value } },
		contentType: MERGE_PATCH,
	});
}
