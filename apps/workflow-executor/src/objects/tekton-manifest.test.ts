import { describe, expect, it } from 'vitest';
import type { NewRun } from './run-engine.ts';
import { pipelineRunManifest } from './tekton-manifest.ts';

const RUN: NewRun = {
	name: 'wfe-a3e71294fd2d3b41',
	lockKey: 'shop/Deployment/cart',
	owner: { namespace: 'kubernaut-system', name: 'we-0', uid: 'uid-of-we-0' },
	fencingToken: '7',
	madeBy: 'executor-0',
	pipeline: { name: 'restart' },
	parameters: { TARGET_NAME: 'cart' },
	serviceAccountName: 'kubernaut-workflow',
	timeoutMs: 90_500,
};

describe('the PipelineRun of an execution', () => {
	it('is pending, is held by our finalizer, and says whose it is and what it locks', () => {
		expect(pipelineRunManifest(RUN, 'kubernaut-workflows')).toEqual({
			apiVersion: 'tekton.dev/v1',
			kind: 'PipelineRun',
			metadata: {
				name: 'wfe-a3e71294fd2d3b41',
				namespace: 'kubernaut-workflows',
				finalizers: ['kubernaut.ai/pipelinerun-lock'],
				labels: {
					'app.kubernetes.io/managed-by': 'kubernaut-workflow-executor',
					'kubernaut.ai/workflow-execution': 'we-0',
					'kubernaut.ai/source-namespace': 'kubernaut-system',
				},
				annotations: {
					'kubernaut.ai/lock-key': 'shop/Deployment/cart',
					'kubernaut.ai/workflow-execution-uid': 'uid-of-we-0',
					'kubernaut.ai/made-by': 'executor-0',
					'kubernaut.ai/fencing-token': '7',
				},
			},
			spec: {
				status: 'PipelineRunPending',
				pipelineRef: { name: 'restart' },
				params: [{ name: 'TARGET_NAME', value: 'cart' }],
				timeouts: { pipeline: '90s', tasks: '90s' },
				taskRunTemplate: {
					serviceAccountName: 'kubernaut-workflow',
					podTemplate: {
						securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
					},
				},
			},
		});
	});

	it.each([0, 1, 999, 1000, -5000])('with %i ms left it has a time-out: Tekton would take 0 for none', (timeoutMs) => {
		expect(pipelineRunManifest({ ...RUN, timeoutMs }, 'kubernaut-workflows')).toMatchObject({
			spec: { timeouts: { pipeline: '1s', tasks: '1s' } },
		});
	});

	it('embeds a pipeline, and names a bundle for its resolver', () => {
		const spec = { tasks: [{ name: 'only' }] };
		expect(pipelineRunManifest({ ...RUN, pipeline: { spec } }, 'w')).toMatchObject({ spec: { pipelineSpec: spec } });
		const bundle = `registry.invalid/restart@sha256:${'0'.repeat(64)}`;
		expect(pipelineRunManifest({ ...RUN, pipeline: { name: 'restart', bundle } }, 'w')).toMatchObject({
			spec: {
				pipelineRef: {
					resolver: 'bundles',
					params: [
						{ name: 'bundle', value: bundle },
						{ name: 'name', value: 'restart' },
						{ name: 'kind', value: 'pipeline' },
					],
				},
			},
		});
	});
});
