import { CONDITION, type CustomResource, FENCING_CASES, hex, type KindCases, LATER, TIME, UID } from './case.ts';

const PREFIX = 'we-abcdef012345-';
const SUCCESSOR = `${PREFIX}fedcba9876543210`;
const RUN = { name: 'wfe-0123456789abcdef', uid: UID };
const PIPELINE_SPEC = {
	description: 'Restarts the deployment.',
	tasks: [{ name: 'restart', taskSpec: { steps: [{ image: 'kubectl' }] } }],
};
const FULL_PIPELINE_SPEC = {
	...PIPELINE_SPEC,
	displayName: 'Restart',
	params: [{ name: 'target' }],
	workspaces: [{ name: 'scratch' }],
	finally: [{ name: 'report', taskRef: { name: 'report' } }],
	results: [{ name: 'restarted', value: '1' }],
};

function valid(): CustomResource {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'WorkflowExecution',
		metadata: { name: PREFIX + hex(16) },
		spec: {
			remediationRequestRef: { name: 'rr-abcdef012345-0123456789abcdef', uid: UID },
			workflowRef: { name: 'restart', uid: UID, generation: 1 },
			pipelineSpec: PIPELINE_SPEC,
			targetResource: 'production/Deployment/payment-api',
			timeout: '30m',
			chain: 0,
		},
	};
}

export const WORKFLOW_EXECUTION_CASES: KindCases = {
	kind: 'WorkflowExecution',
	valid,
	full: {
		spec: {
			remediationRequestRef: { name: 'rr-abcdef012345-fedcba9876543210', uid: 'uid-of-the-request' },
			workflowRef: { name: 'drain-node', uid: UID, generation: 4 },
			pipelineRef: { name: 'drain-node', bundle: 'registry.example.com/pipelines/drain:v1' },
			pipelineSpec: null,
			targetResource: 'Node/worker-1',
			parameters: { NODE: 'worker-1' },
			serviceAccountName: 'drainer',
			approval: {
				name: 'approval-1',
				digest: '0123456789abcdef'.repeat(4),
				approver: 'on-call@example.com',
				verified: true,
			},
			timeout: '1h30m',
			cooldown: '10m',
			chain: 2,
		},
		status: {
			phase: 'Failed',
			startTime: TIME,
			completionTime: LATER,
			duration: '5m250ms',
			pipelineRunRef: RUN,
			skipDetails: { reason: 'ResourceBusy', message: 'held', heldBy: SUCCESSOR },
			failureDetails: {
				reason: 'OOMKilled',
				message: 'step drain was killed',
				failedTask: 'drain',
				failedStep: 'evict-pods',
				exitCode: 137,
				wasExecutionFailure: true,
				summary: 'The step drain ran out of memory.',
			},
			successor: { name: SUCCESSOR },
			fencing: { lease: RUN.name, token: 9 },
			conditions: [CONDITION],
		},
	},
	instead: { pipelineRef: null, pipelineSpec: FULL_PIPELINE_SPEC },
	create: [
		{
			title: 'an embedded pipeline is stored as it is',
			change: {},
			wantStored: { spec: { pipelineSpec: PIPELINE_SPEC } },
		},
		{ title: 'a cluster-scoped target', change: { spec: { targetResource: 'Node/worker-1' } } },
		{
			title: 'a name that was made by hand',
			change: { metadata: { name: 'restart-payment-api' } },
			wantRefused: /metadata\.name must be we-<12 hex digits>-<16 hex digits>/,
		},
		{
			title: 'a target with its kind in small letters',
			change: { spec: { targetResource: 'production/deployment/payment-api' } },
			wantRefused: /spec\.targetResource: .*must be <namespace>\/<Kind>\/<name>, or <Kind>\/<name>/,
		},
		{
			title: 'a target without a kind',
			change: { spec: { targetResource: 'payment-api' } },
			wantRefused: /spec\.targetResource: .*must be <namespace>\/<Kind>\/<name>, or <Kind>\/<name>/,
		},
		{
			title: 'a target with too many parts',
			change: { spec: { targetResource: 'production/Deployment/payment-api/status' } },
			wantRefused: /spec\.targetResource: .*must be <namespace>\/<Kind>\/<name>, or <Kind>\/<name>/,
		},
		...['ClusterRole/system:node', 'n/RoleBinding/$(x)', 'n/Alert/Disk_full-1', 'Alert/X', 'APIService/v1.'].map(
			(target) => ({
				title: `the target ${target}`,
				change: { spec: { targetResource: target } },
			}),
		),
		...['n/Deployment/--all', 'Node/a:b', 'n/Kafka/A', 'n/Alert/--all', 'n/Pod/a..b'].map((target) => ({
			title: `the target ${target}, whose kind has no such names`,
			change: { spec: { targetResource: target } },
			wantRefused: /spec\.targetResource: .*the name in targetResource must follow the rules of its kind/,
		})),
		{
			title: 'two pipelines',
			change: { spec: { pipelineRef: { name: 'restart' } } },
			wantRefused: /exactly one of pipelineRef and pipelineSpec must be set/,
		},
		{
			title: 'no pipeline',
			change: { spec: { pipelineSpec: null } },
			wantRefused: /exactly one of pipelineRef and pipelineSpec must be set/,
		},
		{
			title: 'no uid of the request, by which an orchestrator finds it after a crash',
			change: { spec: { remediationRequestRef: { uid: null } } },
			wantRefused: /spec\.remediationRequestRef\.uid: Required value/,
		},
		{
			title: 'no generation of the workflow',
			change: { spec: { workflowRef: { generation: null } } },
			wantRefused: /spec\.workflowRef\.generation: Required value/,
		},
		{
			title: 'no time-out',
			change: { spec: { timeout: null } },
			wantRefused: /spec\.timeout: Required value/,
		},
		{
			title: 'a time-out of nothing',
			change: { spec: { timeout: '0s' } },
			wantRefused: /spec\.timeout: .*timeout must be longer than 0s/,
		},
		{
			title: 'a time-out without a unit',
			change: { spec: { timeout: '30' } },
			wantRefused: /spec\.timeout: .*write a duration like 30m, 1h30m or 500ms/,
		},
		{
			title: 'a cooldown in words',
			change: { spec: { cooldown: 'five minutes' } },
			wantRefused: /spec\.cooldown: .*write a duration like 30m, 1h30m or 500ms/,
		},
	],
	update: [
		{ title: 'a finalizer', patch: { metadata: { finalizers: ['kubernaut.ai/pipelinerun-cleanup'] } } },
		{ title: 'no finalizer', patch: { metadata: { finalizers: null } } },
		{
			title: 'another target',
			patch: { spec: { targetResource: 'production/Deployment/checkout' } },
			wantRefused: /spec: Forbidden: spec is immutable: .*another decision is another WorkflowExecution/,
		},
		{
			title: 'another value deep in the embedded pipeline',
			patch: { spec: { pipelineSpec: { tasks: [{ name: 'restart', taskSpec: { steps: [{ image: 'evil' }] } }] } } },
			wantRefused: /spec is immutable/,
		},
		{
			title: 'another key, of as many, in a task of the embedded pipeline',
			patch: { spec: { pipelineSpec: { tasks: [{ name: 'restart', taskRef: { name: 'evil' } }] } } },
			wantRefused: /spec is immutable/,
		},
		{
			title: 'another key, of as many, in the embedded pipeline',
			patch: { spec: { pipelineSpec: { description: null, displayName: 'Evil' } } },
			wantRefused: /spec is immutable/,
		},
		{
			title: 'a parameter added',
			patch: { spec: { parameters: { NODE: 'worker-1' } } },
			wantRefused: /spec is immutable/,
		},
	],
	status: [
		...FENCING_CASES,
		{
			title: 'the PipelineRun recorded before it starts',
			before: { phase: 'Pending' },
			status: { pipelineRunRef: RUN },
		},
		{ title: 'running', before: { pipelineRunRef: RUN }, status: { phase: 'Running', startTime: TIME } },
		{
			title: 'running without a recorded PipelineRun',
			status: { phase: 'Running' },
			wantRefused: /status\.pipelineRunRef: Required value: .*uid is recorded before the run starts/,
		},
		{
			title: 'completed without a recorded PipelineRun',
			status: { phase: 'Completed' },
			wantRefused: /status\.pipelineRunRef: Required value: a Running or Completed WorkflowExecution must name its/,
		},
		{
			title: 'another PipelineRun of the same name',
			before: { pipelineRunRef: RUN },
			status: { pipelineRunRef: { uid: 'another' } },
			wantRefused: /status\.pipelineRunRef: .*written once: a WorkflowExecution runs one PipelineRun in its life/,
		},
		{
			title: 'the PipelineRun removed',
			before: { pipelineRunRef: RUN },
			status: { pipelineRunRef: null },
			wantRefused: /status\.pipelineRunRef: .*written once/,
		},
		{
			title: 'a PipelineRun without its uid',
			status: { pipelineRunRef: { name: RUN.name } },
			wantRefused: /status\.pipelineRunRef\.uid: Required value/,
		},
		{
			title: 'skipped, with the holder named',
			status: { phase: 'Skipped', skipDetails: { reason: 'ResourceBusy', heldBy: SUCCESSOR } },
		},
		{
			title: 'withdrawn by the orchestrator before it began',
			before: { phase: 'Pending' },
			status: { phase: 'Skipped', completionTime: TIME, skipDetails: { reason: 'Withdrawn', message: 'it is over' } },
		},
		{
			title: 'skipped without a reason',
			status: { phase: 'Skipped' },
			wantRefused: /status\.skipDetails: Required value: a Skipped WorkflowExecution must say why/,
		},
		{
			title: 'skipped although it has a PipelineRun',
			before: { pipelineRunRef: RUN },
			status: { phase: 'Skipped', skipDetails: { reason: 'ResourceBusy' } },
			wantRefused: /status\.phase: .*that has a PipelineRun cannot be Skipped/,
		},
		{
			title: 'failed without a reason',
			status: { phase: 'Failed' },
			wantRefused: /status\.failureDetails: Required value: a Failed WorkflowExecution must say why/,
		},
		{
			title: 'cancelled by a person, before or while it ran',
			before: { pipelineRunRef: RUN, phase: 'Running' },
			status: { phase: 'Failed', failureDetails: { reason: 'Cancelled', message: 'it was deleted' } },
		},
		{
			title: 'failed for a reason that does not exist',
			status: { phase: 'Failed', failureDetails: { reason: 'BadLuck' } },
			wantRefused: /status\.failureDetails\.reason: Unsupported value: "BadLuck"/,
		},
		...(
			[
				['Completed', { pipelineRunRef: RUN }],
				['Failed', { failureDetails: { reason: 'Unknown' } }],
				['Skipped', { skipDetails: { reason: 'ResourceBusy' } }],
			] as const
		).map(([phase, details]) => ({
			title: `${phase} is final`,
			before: { phase, ...details },
			status: { phase: 'Pending' },
			wantRefused: new RegExp(`status\\.phase: .*phase ${phase} is terminal and final: another attempt is another`),
		})),
		{
			title: 'a terminal phase removed',
			before: { phase: 'Skipped', skipDetails: { reason: 'ResourceBusy' } },
			status: { phase: null },
			wantRefused: /phase Skipped is terminal and final/,
		},
		{
			title: 'a finished one gets its successor',
			before: { phase: 'Failed', failureDetails: { reason: 'Unknown' } },
			status: { successor: { name: SUCCESSOR } },
		},
		{
			title: 'another successor',
			before: { successor: { name: SUCCESSOR } },
			status: { successor: { name: `${PREFIX}0000000000000000` } },
			wantRefused: /status\.successor: .*written once: .*would fork the chain/,
		},
		{
			title: 'a successor of another target',
			status: { successor: { name: 'we-000000000000-0123456789abcdef' } },
			wantRefused: /status\.successor: .*another WorkflowExecution of the same target/,
		},
		{
			title: 'itself as its successor',
			status: (name) => ({ successor: { name } }),
			wantRefused: /status\.successor: .*another WorkflowExecution of the same target/,
		},
		{
			title: 'a duration with a fraction',
			status: { duration: '1.5h' },
			wantRefused: /status\.duration: .*write a duration like 30m, 1h30m or 500ms/,
		},
	],
};
