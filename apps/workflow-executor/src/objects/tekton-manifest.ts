// The PipelineRun of an execution, as it is created: pending, so that Tekton does nothing before the execution names it.
import type { NewRun, RunPipeline } from './run-engine.ts';
import {
	EXECUTION_LABEL,
	EXECUTION_UID_ANNOTATION,
	FENCING_ANNOTATION,
	LOCK_KEY_ANNOTATION,
	MADE_BY_ANNOTATION,
	PENDING,
	RUN_FINALIZER,
	SOURCE_NAMESPACE_LABEL,
} from './tekton-run.ts';

const MANAGED_BY = { 'app.kubernetes.io/managed-by': 'kubernaut-workflow-executor' } as const;
/** What every pod of a run gets; its containers need their own for a namespace that enforces `restricted`. */
const POD_SECURITY = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } } as const;
const MIN_TIMEOUT_SECONDS = 1;

export function pipelineRunManifest(run: NewRun, namespace: string): object {
	return {
		apiVersion: 'tekton.dev/v1',
		kind: 'PipelineRun',
		metadata: {
			name: run.name,
			namespace,
			finalizers: [RUN_FINALIZER],
			labels: { ...MANAGED_BY, [EXECUTION_LABEL]: run.owner.name, [SOURCE_NAMESPACE_LABEL]: run.owner.namespace },
			annotations: {
				[LOCK_KEY_ANNOTATION]: run.lockKey,
				[EXECUTION_UID_ANNOTATION]: run.owner.uid,
				[MADE_BY_ANNOTATION]: run.madeBy,
				...(run.fencingToken === undefined ? {} : { [FENCING_ANNOTATION]: run.fencingToken }),
			},
		},
		spec: {
			status: PENDING,
			...pipelineOf(run.pipeline),
			params: Object.entries(run.parameters).map(([name, value]) => ({ name, value })),
			timeouts: timeoutsOf(run),
			taskRunTemplate: {
				serviceAccountName: run.serviceAccountName,
				podTemplate: { securityContext: POD_SECURITY },
			},
		},
	};
}

/** Of 0 would mean none. Without `tasks`, Tekton gives each task its default, an hour, however long the run may take. */
function timeoutsOf({ timeoutMs }: NewRun): object {
	const timeout = `${Math.max(MIN_TIMEOUT_SECONDS, Math.floor(timeoutMs / 1000))}s`;
	return { pipeline: timeout, tasks: timeout };
}

function pipelineOf(pipeline: RunPipeline): object {
	if ('spec' in pipeline) return { pipelineSpec: pipeline.spec };
	if (!('bundle' in pipeline)) return { pipelineRef: { name: pipeline.name } };
	const params = { bundle: pipeline.bundle, name: pipeline.name, kind: 'pipeline' };
	return {
		pipelineRef: { resolver: 'bundles', params: Object.entries(params).map(([name, value]) => ({ name, value })) },
	};
}
