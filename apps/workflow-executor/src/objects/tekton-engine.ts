// Runs as Tekton's PipelineRuns. Every write is a create by name, or a JSON patch or delete that names the uid.
// Not guaranteed: that a run that is done is dead. Tekton writes Cancelled and PipelineRunTimeout as soon as it has patched
// the TaskRuns; their pods end later. `look` says what is still alive.
import { answered } from '../kube/answered.ts';
import { type KubeCall, type KubeClient, KubeError } from '../kube/kube.ts';
import type { Run, RunEngine } from './run-engine.ts';
import { pipelineRunManifest } from './tekton-manifest.ts';
import { outcomeOf } from './tekton-outcome.ts';
import {
	CANCELLED,
	PENDING,
	type PipelineRun,
	type Pod,
	RUN_FINALIZER,
	RUN_UID_LABEL,
	TASK_CANCELLED,
	type TaskRun,
	toPod,
	toRun,
	toTask,
} from './tekton-run.ts';

const JSON_PATCH = 'application/json-patch+json';
/** The HTTP status for a test that failed, and for a value that the schema or Tekton's rules reject. */
const NOT_APPLIED = 422;
/** What Tekton's webhook answers when it rejects a change. */
const REJECTED = 400;

type Operation = {
	readonly op: 'test' | 'add' | 'remove' | 'replace';
	readonly path: string;
	readonly value?: unknown;
};
type Resource = Pick<KubeCall, 'resource' | 'namespace'> & { readonly path: string };

export function runsPath(namespace: string): string {
	return `/apis/tekton.dev/v1/namespaces/${namespace}/pipelineruns`;
}

export function createTektonEngine(kube: Pick<KubeClient, 'call'>, namespace: string): RunEngine {
	const runs: Resource = { resource: 'pipelineruns', namespace, path: runsPath(namespace) };
	const tasks: Resource = {
		resource: 'taskruns',
		namespace,
		path: `/apis/tekton.dev/v1/namespaces/${namespace}/taskruns`,
	};
	const pods: Resource = { resource: 'pods', namespace, path: `/api/v1/namespaces/${namespace}/pods` };

	function call<T>({ path, ...resource }: Resource, verb: KubeCall['verb'], tail: string, body?: object): Promise<T> {
		const contentType = verb === 'patch' ? { contentType: JSON_PATCH } : {};
		return kube.call<T>({
			...resource,
			verb,
			path: `${path}${tail}`,
			...(body === undefined ? {} : { body }),
			...contentType,
		});
	}
	/** Of exactly this object, whatever its version: Tekton writes into it all the time. */
	async function patch<T>(
		resource: Resource,
		{ name, uid }: { readonly name: string; readonly uid: string },
		operations: readonly Operation[],
	): Promise<T | 'changed' | 'gone'> {
		const body = [{ op: 'test', path: '/metadata/uid', value: uid }, ...operations];
		return orRejected(call<T>(resource, 'patch', `/${name}`, body));
	}
	async function patchRun(run: Run, operations: readonly Operation[]): Promise<Run | 'changed' | 'gone'> {
		const answer = await patch<PipelineRun>(runs, run, operations);
		return typeof answer === 'string' ? answer : toRun(answer);
	}
	async function list<T>(resource: Resource, { uid }: Run): Promise<readonly T[]> {
		const selector = encodeURIComponent(`${RUN_UID_LABEL}=${uid}`);
		return (await call<{ readonly items: readonly T[] }>(resource, 'list', `?labelSelector=${selector}`)).items;
	}
	function remove(resource: Resource, { name, uid }: { name: string; uid: string }, propagationPolicy: string) {
		const body = { preconditions: { uid }, propagationPolicy };
		return answered(
			call(resource, 'delete', `/${name}`, body).then(() => 'removing' as const),
			{ KUBE_CONFLICT: 'changed' as const, KUBE_NOT_FOUND: 'gone' as const },
		);
	}

	return {
		async create(run) {
			const answer = await answered(call<PipelineRun>(runs, 'create', '', pipelineRunManifest(run, namespace)), {
				KUBE_ALREADY_EXISTS: 'exists' as const,
			});
			return answer === 'exists' ? answer : toRun(answer);
		},
		async get(name) {
			const found = await answered(call<PipelineRun>(runs, 'get', `/${name}`), { KUBE_NOT_FOUND: undefined });
			return found === undefined ? undefined : toRun(found);
		},
		async tryList() {
			await call(runs, 'list', '?limit=1');
		},
		// Cancel and start share this field: a start without the test would revive a cancelled run. One that is being deleted
		// would be marked as started, and never run.
		start: (run) =>
			patchRun(run, [
				{ op: 'test', path: '/metadata/deletionTimestamp', value: null },
				{ op: 'test', path: '/spec/status', value: PENDING },
				{ op: 'remove', path: '/spec/status' },
			]),
		cancel: (run) => patchRun(run, [{ op: 'add', path: '/spec/status', value: CANCELLED }]),
		async look(run) {
			// TaskRuns tell why a run failed, and which of them Tekton forgot; after a success they tell nothing.
			const [taskRuns, podList] = await Promise.all([
				run.end?.succeeded && run.deletedAt === undefined ? [] : list<TaskRun>(tasks, run),
				list<Pod>(pods, run),
			]);
			const found = new Set(taskRuns.map(({ metadata }) => metadata.name));
			return {
				tasks: taskRuns.map(toTask),
				pods: podList.map(toPod),
				isMissing: run.made.some((name) => !found.has(name)),
			};
		},
		async endTasks(unfinished, how) {
			for (const task of unfinished)
				await (how === 'deleted'
					? remove(tasks, task, 'Background')
					: patch(tasks, task, [{ op: 'add', path: '/spec/status', value: TASK_CANCELLED }]));
		},
		remove: (run, how) => remove(runs, run, how === 'abandoned' ? 'Background' : 'Foreground'),
		async free(run) {
			const fresh = await answered(call<PipelineRun>(runs, 'get', `/${run.name}`), { KUBE_NOT_FOUND: undefined });
			if (fresh === undefined || fresh.metadata.uid !== run.uid) return 'gone';
			const finalizers = fresh.metadata.finalizers ?? [];
			const index = finalizers.indexOf(RUN_FINALIZER);
			if (index === -1) return 'freed';
			const path = `/metadata/finalizers/${index}`;
			const answer = await patch<PipelineRun>(runs, run, [
				{ op: 'test', path, value: RUN_FINALIZER },
				{ op: 'remove', path },
			]);
			return typeof answer === 'string' ? answer : 'freed';
		},
		outcomeOf,
	};
}

/** A failed test and a change that Tekton's rules reject: either way the object is not what we took it for. */
async function orRejected<T>(call: Promise<T>): Promise<T | 'changed' | 'gone'> {
	try {
		return await call;
	} catch (error) {
		if (!(error instanceof KubeError)) throw error;
		if (error.code === 'KUBE_NOT_FOUND') return 'gone';
		if (error.code === 'KUBE_CONFLICT' || error.status === NOT_APPLIED || error.status === REJECTED) return 'changed';
		throw error;
	}
}
