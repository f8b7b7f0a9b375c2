// Who may run what. A WorkflowExecution is written by the orchestrator from what a workflow's author wrote and from alerts;
// here the operator of the execution namespace has the last word. Anything else is Failed/ConfigurationError with the name
// of the key that would allow it, before a run exists.
import type { Execution, Plan } from '../objects/execution.ts';
import { type NewRun, type RunPipeline, runName } from '../objects/run-engine.ts';

export type RunPolicy = {
	/** Used when a workflow names none; never Tekton's default. */
	readonly serviceAccount: string;
	readonly serviceAccounts: readonly string[];
	readonly allowPipelineSpec: boolean;
	/** Prefixes of bundles; empty: none is allowed. */
	readonly bundleRegistries: readonly string[];
};
export type RunRequest = { readonly run: NewRun } | { readonly refused: string };

const DIGEST = /@sha256:[0-9a-f]{64}$/;
/** Tekton would expand it, and the value came from an alert. */
const EXPANDED = '$(';

export function requestRun(
	execution: Execution,
	policy: RunPolicy,
	place: { readonly namespace: string; readonly podName: string; readonly timeLeftMs: number },
): RunRequest {
	const plan = execution.plan ?? {};
	const pipeline = pipelineOf(plan, policy);
	if ('refused' in pipeline) return pipeline;
	const serviceAccountName = plan.serviceAccountName ?? policy.serviceAccount;
	if (![policy.serviceAccount, ...policy.serviceAccounts].includes(serviceAccountName))
		return refuse(
			`ServiceAccount ${serviceAccountName} is not allowed for runs: add it to EXECUTION_SERVICE_ACCOUNTS (execution.service_accounts)`,
		);
	const ofTarget = targetParameters(execution.target);
	for (const [name, value] of [...Object.entries(plan.parameters ?? {}), ...Object.entries(ofTarget)])
		if (value.includes(EXPANDED))
			return refuse(
				`parameter ${name} contains "${EXPANDED}", which Tekton would expand: correct the workflow's parameters, or the alert that they are filled from`,
			);
	return {
		run: {
			name: runName(execution.target),
			lockKey: execution.target,
			owner: { namespace: place.namespace, name: execution.name, uid: execution.uid },
			fencingToken: execution.fencingToken,
			madeBy: place.podName,
			pipeline: pipeline.pipeline,
			parameters: { ...plan.parameters, ...ofTarget },
			serviceAccountName,
			timeoutMs: place.timeLeftMs,
		},
	};
}

/** Ours win over a workflow's: a pipeline can rely on them. */
export function targetParameters(target: string): Record<string, string> {
	const [name = '', kind = '', namespace = ''] = target.split('/').toReversed();
	return { TARGET_RESOURCE: target, TARGET_NAMESPACE: namespace, TARGET_KIND: kind, TARGET_NAME: name };
}

function pipelineOf(
	{ pipelineRef, pipelineSpec }: Plan,
	policy: RunPolicy,
): { readonly pipeline: RunPipeline } | { readonly refused: string } {
	if (pipelineSpec !== undefined)
		return policy.allowPipelineSpec
			? { pipeline: { spec: pipelineSpec } }
			: refuse(
					'an embedded pipelineSpec is not allowed: refer to a Pipeline of the execution namespace, or set EXECUTION_ALLOW_PIPELINE_SPEC (execution.allow_pipeline_spec) to on',
				);
	if (pipelineRef === undefined) return refuse('there is neither a pipelineRef nor a pipelineSpec');
	const { name, bundle } = pipelineRef;
	if (bundle === undefined) return { pipeline: { name } };
	if (!DIGEST.test(bundle))
		return refuse(`bundle ${bundle} is not named by its digest: write it as <image>@sha256:<64 hex digits>`);
	if (!policy.bundleRegistries.some((registry) => bundle.startsWith(`${registry.replace(/\/$/, '')}/`)))
		return refuse(
			`bundle ${bundle} is not from an allowed registry: add its registry to EXECUTION_BUNDLE_REGISTRIES (execution.bundle_registries)`,
		);
	return { pipeline: { name, bundle } };
}

function refuse(refused: string): { readonly refused: string } {
	return { refused };
}
