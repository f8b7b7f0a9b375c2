import { describe, expect, it } from 'vitest';
import { anExecution, NAMESPACE, TARGET } from '../../test/harness/made-up.ts';
import type { Plan } from '../objects/execution.ts';
import { type RunPolicy, requestRun } from './run-policy.ts';

const POLICY: RunPolicy = {
	serviceAccount: 'kubernaut-workflow',
	serviceAccounts: ['drainer'],
	allowPipelineSpec: false,
	bundleRegistries: ['registry.example.com/pipelines'],
};
const PLACE = { namespace: NAMESPACE, podName: 'executor-0', timeLeftMs: 90_000 };
const DIGEST = `sha256:${'a'.repeat(64)}`;
const SPEC = { tasks: [{ name: 'restart' }] };

function request(plan: Plan, policy: Partial<RunPolicy> = {}, target = TARGET) {
	return requestRun(anExecution({ plan, target }), { ...POLICY, ...policy }, PLACE);
}

describe('the run of an execution', () => {
	it('has its target, its owner, its time and its parameters', () => {
		expect(request({ pipelineRef: { name: 'restart' }, parameters: { REPLICAS: '3' } })).toEqual({
			run: {
				name: 'wfe-a3e71294fd2d3b41',
				lockKey: TARGET,
				owner: { namespace: NAMESPACE, name: 'we-0', uid: 'uid-of-we-0' },
				fencingToken: '7',
				madeBy: 'executor-0',
				pipeline: { name: 'restart' },
				parameters: {
					REPLICAS: '3',
					TARGET_RESOURCE: TARGET,
					TARGET_NAMESPACE: 'shop',
					TARGET_KIND: 'Deployment',
					TARGET_NAME: 'cart',
				},
				serviceAccountName: 'kubernaut-workflow',
				timeoutMs: 90_000,
			},
		});
	});

	it('has our target parameters, whatever the workflow says', () => {
		const parameters = { TARGET_NAME: 'another', TARGET_RESOURCE: 'x' };
		expect(request({ pipelineRef: { name: 'restart' }, parameters })).toMatchObject({
			run: { parameters: { TARGET_NAME: 'cart', TARGET_RESOURCE: TARGET } },
		});
	});

	it('has an empty namespace for a target that is in none', () => {
		expect(request({ pipelineRef: { name: 'drain' } }, {}, 'Node/worker-1')).toMatchObject({
			run: { parameters: { TARGET_NAMESPACE: '', TARGET_KIND: 'Node', TARGET_NAME: 'worker-1' } },
		});
	});

	it.each([
		{ plan: 'a listed ServiceAccount', it: { pipelineRef: { name: 'p' }, serviceAccountName: 'drainer' }, policy: {} },
		{
			plan: 'an embedded pipeline where it is allowed',
			it: { pipelineSpec: SPEC },
			policy: { allowPipelineSpec: true },
		},
		{
			plan: 'a bundle by digest from a listed registry',
			it: { pipelineRef: { name: 'p', bundle: `registry.example.com/pipelines/x@${DIGEST}` } },
			policy: {},
		},
	])('may be $plan', ({ it: plan, policy }) => {
		expect(request(plan, policy)).toHaveProperty('run');
	});

	it.each([
		{
			plan: 'another ServiceAccount',
			it: { pipelineRef: { name: 'p' }, serviceAccountName: 'cluster-admin' },
			want: 'EXECUTION_SERVICE_ACCOUNTS',
		},
		{
			plan: "Tekton's default ServiceAccount",
			it: { pipelineRef: { name: 'p' }, serviceAccountName: 'default' },
			want: 'EXECUTION_SERVICE_ACCOUNTS',
		},
		{ plan: 'an embedded pipeline', it: { pipelineSpec: SPEC }, want: 'EXECUTION_ALLOW_PIPELINE_SPEC' },
		{
			plan: 'a bundle by tag',
			it: { pipelineRef: { name: 'p', bundle: 'registry.example.com/pipelines/x:v1' } },
			want: 'sha256',
		},
		{
			plan: 'a bundle from elsewhere',
			it: { pipelineRef: { name: 'p', bundle: `evil.example.com/x@${DIGEST}` } },
			want: 'EXECUTION_BUNDLE_REGISTRIES',
		},
		{
			plan: 'a bundle from a registry that only begins alike',
			it: { pipelineRef: { name: 'p', bundle: `registry.example.com/pipelines-evil/x@${DIGEST}` } },
			want: 'EXECUTION_BUNDLE_REGISTRIES',
		},
		{
			plan: 'a value that Tekton would expand',
			it: { pipelineRef: { name: 'p' }, parameters: { NODE: 'a$(context.taskRun.name)' } },
			want: 'parameter NODE contains "$("',
		},
		{ plan: 'no pipeline', it: {}, want: 'neither a pipelineRef nor a pipelineSpec' },
	])('is rejected with $plan, and says what would allow it', ({ it: plan, want }) => {
		expect(request(plan)).toEqual({ refused: expect.stringContaining(want) });
	});

	it('is rejected with a target whose name Tekton would expand: names of Roles may be anything', () => {
		expect(request({ pipelineRef: { name: 'p' } }, {}, 'shop/RoleBinding/$(context.pipelineRun.uid)')).toEqual({
			refused: expect.stringContaining('parameter TARGET_RESOURCE contains "$("'),
		});
	});
});
