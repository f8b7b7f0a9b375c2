// The model behind the executor's port to the API server: what kube.ts would send and get, as far as the executor asks.
import type { WorkflowExecution } from '../../src/generated/workflow-execution.ts';
import type { KubeCall } from '../../src/kube/kube.ts';
import { KubeError, type KubeErrorCode } from '../../src/kube/kube-errors.ts';
import { runName } from '../../src/objects/run-engine.ts';
import { at, NAMESPACE, NOW, TARGET } from '../harness/made-up.ts';
import {
	deleted,
	executionOf,
	type History,
	type Store,
	type StoredExecution,
	type StoredRun,
	VERSIONS_OF_A_RUN,
	withExecution,
	withoutExecution,
	withParts,
	withRun,
} from './model.ts';

export type Answer = { readonly object: object } | { readonly fault: KubeErrorCode; readonly status: number };
export type Served = { readonly store: Store; readonly history: History; readonly answer: Answer };

const NOT_FOUND: Answer = { fault: 'KUBE_NOT_FOUND', status: 404 };
const CONFLICT: Answer = { fault: 'KUBE_CONFLICT', status: 409 };
const INVALID: Answer = { fault: 'KUBE_INVALID', status: 422 };
const EXISTS: Answer = { fault: 'KUBE_ALREADY_EXISTS', status: 409 };
const FINALIZER = 'kubernaut.ai/pipelinerun-lock';
const STATUS = { pending: 'PipelineRunPending', started: undefined, cancelled: 'Cancelled' } as const;
/** Long enough ago for everything that waits a little, and not for what gives up. */
const A_MOMENT_AGO = at(NOW - 30_000);
const LONG_AGO = at(NOW - 3_600_000);

type Operation = { readonly op: string; readonly path: string; readonly value?: unknown };

export function receive(answer: Answer): unknown {
	if ('fault' in answer) throw new KubeError(answer.fault, answer.fault, { status: answer.status });
	return answer.object;
}

export function serve(store: Store, history: History, call: KubeCall): Served {
	const served = (answer: Answer, changed = store, happened = history): Served => ({
		store: changed,
		history: happened,
		answer,
	});
	const name = /\/([^/?]+)(?:\/status)?(?:\?.*)?$/.exec(call.path)?.[1] ?? '';
	const selected = /pipelineRunUID%3D(.*)$/.exec(call.path)?.[1] ?? '';
	switch (`${call.verb} ${call.resource}`) {
		case 'get workflowexecutions': {
			const found = executionOf(store, name);
			return served(found === undefined ? NOT_FOUND : { object: toExecutionObject(found) });
		}
		case 'list workflowexecutions':
			return served({ object: { items: store.executions.map(toExecutionObject), metadata: {} } });
		case 'patch workflowexecutions/status':
		case 'patch workflowexecutions':
			return patchExecution(store, history, name, call.body as MergePatch);
		case 'get pipelineruns':
			return served(store.run === undefined ? NOT_FOUND : { object: toRunObject(store.run) });
		case 'create pipelineruns':
			return createRun(store, history, call.body as RunManifest);
		case 'patch pipelineruns':
			return patchRun(store, history, call.body as Operation[]);
		case 'delete pipelineruns':
			return deleteRun(store, history, call.body as { preconditions: { uid: string }; propagationPolicy: string });
		case 'list taskruns':
			return served({ object: { items: taskObjects(store, selected) } });
		case 'list pods':
			return served({ object: { items: podObjects(store, selected) } });
		case 'patch taskruns':
			return endTask(store, history, name, 'cancelled');
		case 'delete taskruns':
			return endTask(store, history, name, 'gone');
		default:
			throw new Error(`the model does not know ${call.verb} ${call.resource}`);
	}
}

type MergePatch = {
	readonly metadata: {
		readonly uid: string;
		readonly resourceVersion: string;
		readonly finalizers?: readonly string[];
	};
	readonly status?: NonNullable<WorkflowExecution['status']>;
};

function patchExecution(store: Store, history: History, name: string, { metadata, status }: MergePatch): Served {
	const found = executionOf(store, name);
	if (found === undefined) return { store, history, answer: NOT_FOUND };
	if (found.uid !== metadata.uid || String(found.version) !== metadata.resourceVersion)
		return { store, history, answer: CONFLICT };
	const object = toExecutionObject({ ...found, version: found.version + 1 });
	if (metadata.finalizers !== undefined)
		return {
			store: withoutExecution(store, found),
			history,
			answer: { object: { ...object, metadata: { ...object.metadata, finalizers: [] } } },
		};
	const changed: StoredExecution = {
		...found,
		phase: (status?.phase as StoredExecution['phase']) ?? found.phase,
		run: status?.pipelineRunRef?.uid ?? found.run,
		reason: status?.failureDetails?.reason ?? status?.skipDetails?.reason ?? found.reason,
	};
	const isFinal = found.phase !== undefined && found.phase !== 'Running';
	const isOtherRun = found.run !== undefined && changed.run !== found.run;
	if ((isFinal && changed.phase !== found.phase) || isOtherRun || (changed.phase === 'Skipped' && changed.run))
		return { store, history, answer: INVALID };
	const written = { ...changed, version: found.version + 1 };
	return { store: withExecution(store, changed), history, answer: { object: toExecutionObject(written) } };
}

type RunManifest = {
	readonly metadata: { readonly finalizers?: readonly string[]; readonly annotations: Record<string, string> };
};

function createRun(store: Store, history: History, { metadata }: RunManifest): Served {
	if (store.run !== undefined) return { store, history, answer: EXISTS };
	const run: StoredRun = {
		uid: `run-${store.runsMade + 1}`,
		version: (store.runsMade + 1) * VERSIONS_OF_A_RUN,
		owner: metadata.annotations['kubernaut.ai/workflow-execution-uid'] ?? '',
		status: 'pending',
		deleting: false,
		held: (metadata.finalizers ?? []).includes(FINALIZER),
		foreground: false,
	};
	const made = { ...store, run, runsMade: store.runsMade + 1 };
	return { store: made, history, answer: { object: toRunObject(run) } };
}

function patchRun(store: Store, history: History, operations: readonly Operation[]): Served {
	const { run } = store;
	if (run === undefined) return { store, history, answer: NOT_FOUND };
	let changed = run;
	let happened = history;
	for (const { op, path, value } of operations) {
		if (op === 'test' && path === '/metadata/uid' && value !== run.uid) return { store, history, answer: INVALID };
		if (op === 'test' && path === '/spec/status' && value !== STATUS[run.status])
			return { store, history, answer: INVALID };
		if (op === 'test' && path === '/metadata/deletionTimestamp' && run.deleting)
			return { store, history, answer: INVALID };
		if (path === '/spec/status' && op !== 'test') {
			// Tekton's webhook lets nothing change after the end.
			if (run.done !== undefined) return { store, history, answer: { fault: 'KUBE_INVALID', status: 400 } };
			if (op === 'remove' && run.status === 'started') return { store, history, answer: INVALID };
			changed = { ...changed, status: op === 'remove' ? 'started' : 'cancelled' };
			if (op === 'remove') happened = { ...happened, starts: [...happened.starts, { run: run.uid, owner: run.owner }] };
			else happened = { ...happened, cancelled: [...new Set([...happened.cancelled, run.uid])] };
		}
		if (path.startsWith('/metadata/finalizers') && op === 'remove') changed = { ...changed, held: false };
	}
	const after = withRun(store, changed);
	const written = after.run ?? { ...changed, version: run.version + 1 };
	return { store: after, history: happened, answer: { object: toRunObject(written) } };
}

function deleteRun(
	store: Store,
	history: History,
	{ preconditions, propagationPolicy }: { preconditions: { uid: string }; propagationPolicy: string },
): Served {
	const { run } = store;
	if (run === undefined) return { store, history, answer: NOT_FOUND };
	if (preconditions.uid !== run.uid) return { store, history, answer: CONFLICT };
	const foreground = propagationPolicy === 'Foreground';
	return {
		store: withRun(store, { ...run, deleting: true, foreground }),
		history: deleted(history, run.uid),
		answer: { object: {} },
	};
}

function endTask(store: Store, history: History, uid: string, how: 'cancelled' | 'gone'): Served {
	const parts = store.parts[uid];
	if (parts === undefined) return { store, history, answer: NOT_FOUND };
	const task = parts.task === 'done' ? 'done' : 'cancelled';
	const changed = how === 'gone' ? withParts(store, uid, undefined) : withParts(store, uid, { ...parts, task });
	return { store: changed, history, answer: { object: taskObjects(changed, uid)[0] ?? {} } };
}

export function toExecutionObject(execution: StoredExecution): WorkflowExecution {
	const { name, uid, version, chain, phase, run, reason, cooled, deleting } = execution;
	const isOver = phase === 'Completed' || phase === 'Failed' || phase === 'Skipped';
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'WorkflowExecution',
		metadata: {
			name,
			namespace: NAMESPACE,
			uid,
			resourceVersion: String(version),
			generation: 1,
			creationTimestamp: at(NOW - 60_000),
			finalizers: ['kubernaut.ai/pipelinerun-cleanup'],
			...(deleting ? { deletionTimestamp: A_MOMENT_AGO } : {}),
		},
		spec: {
			remediationRequestRef: { name: 'rr', uid: 'uid-of-rr' },
			workflowRef: { name: 'restart', uid: 'uid-of-rw', generation: 1 },
			pipelineRef: { name: 'restart' },
			targetResource: TARGET,
			timeout: '1h',
			cooldown: '5m',
			chain,
		},
		status: {
			...(phase === undefined ? {} : { phase }),
			...(run === undefined ? {} : { pipelineRunRef: { name: runName(TARGET), uid: run } }),
			...(isOver ? { completionTime: cooled ? LONG_AGO : A_MOMENT_AGO } : {}),
			...(phase === 'Failed' ? { failureDetails: { reason: (reason ?? 'Unknown') as 'Unknown' } } : {}),
		},
	};
}

export function toRunObject(run: StoredRun): object {
	// The name of its execution is in its labels; executions of the model are named after their uid.
	const name = run.owner.replace('uid-', 'we-');
	const finalizers = [...(run.held ? [FINALIZER] : []), ...(run.foreground ? ['foregroundDeletion'] : [])];
	return {
		metadata: {
			name: runName(TARGET),
			uid: run.uid,
			resourceVersion: String(run.version),
			creationTimestamp: A_MOMENT_AGO,
			finalizers,
			labels: { 'kubernaut.ai/workflow-execution': name, 'kubernaut.ai/source-namespace': NAMESPACE },
			annotations: { 'kubernaut.ai/lock-key': TARGET, 'kubernaut.ai/workflow-execution-uid': run.owner },
			...(run.deleting ? { deletionTimestamp: A_MOMENT_AGO } : {}),
		},
		spec: { status: STATUS[run.status] },
		status:
			run.done === undefined
				? {}
				: { conditions: [ended(run.done === 'ok' ? 'Succeeded' : 'Cancelled')], completionTime: A_MOMENT_AGO },
	};
}

function ended(reason: string): object {
	return { type: 'Succeeded', status: reason === 'Succeeded' ? 'True' : 'False', reason, message: reason };
}

function taskObjects(store: Store, uid: string): object[] {
	const parts = store.parts[uid];
	if (parts === undefined) return [];
	const conditions = parts.task === 'done' ? [ended(parts.pod === 'ended' ? 'Succeeded' : 'Cancelled')] : [];
	return [
		{
			metadata: { name: uid, uid: `task-${uid}`, resourceVersion: '1', creationTimestamp: A_MOMENT_AGO },
			spec: parts.task === 'cancelled' ? { status: 'TaskRunCancelled' } : {},
			status: { conditions },
		},
	];
}

function podObjects(store: Store, uid: string): object[] {
	const parts = store.parts[uid];
	if (parts === undefined) return [];
	const state = parts.pod === 'alive' ? { running: {} } : { terminated: { exitCode: 0 } };
	return [
		{
			metadata: { name: `pod-${uid}`, uid: `pod-${uid}`, resourceVersion: '1', creationTimestamp: A_MOMENT_AGO },
			spec: { containers: [{ name: 'step-a' }] },
			status: { phase: 'Running', containerStatuses: [{ name: 'step-a', state }] },
		},
	];
}
