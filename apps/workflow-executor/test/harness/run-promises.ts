// What the executor promises, judged from every change that was stored, in the order in which it was stored: never are two runs
// of one target started and not dead, and no run is started before its execution names it.
import type { KubeObject, StoredChange } from '@kubernaut/control-plane';

/** As they stand at the beginning of keys. */
export type StoredKinds = {
	readonly executions: string;
	readonly runs: string;
	readonly taskRuns: string;
	readonly pods: string;
};
export type Judgement = {
	readonly broken: readonly string[];
	/** Per uid of an execution. */
	readonly starts: ReadonlyMap<string, number>;
};
type LiveRun = { readonly uid: string; readonly name: string; readonly started: boolean; readonly over: boolean };
type Part = { readonly runUid: string; readonly runName: string; readonly alive: boolean };

const OVER_PHASES: readonly string[] = ['Succeeded', 'Failed'];

export function storedKinds(namespace: string, workflows: string): StoredKinds {
	return {
		executions: `/registry/kubernaut.ai/workflowexecutions/${namespace}/`,
		runs: `/registry/tekton.dev/pipelineruns/${workflows}/`,
		taskRuns: `/registry/tekton.dev/taskruns/${workflows}/`,
		pods: `/registry/pods/${workflows}/`,
	};
}

export function judgeHistory(changes: readonly StoredChange[], kinds: StoredKinds): Judgement {
	const executions = new Map<string, KubeObject>();
	const runs = new Map<string, LiveRun>();
	const parts = new Map<string, Part>();
	const starts = new Map<string, number>();
	const broken: string[] = [];

	function sawRun(key: string, object: KubeObject | undefined, revision: number): void {
		const before = runs.get(key);
		if (object === undefined) {
			runs.delete(key);
			return;
		}
		const run = liveRun(object);
		runs.set(key, run);
		if (!run.started || (before?.uid === run.uid && before.started)) return;
		const owner = String(object['metadata'].annotations?.['kubernaut.ai/workflow-execution-uid']);
		starts.set(owner, (starts.get(owner) ?? 0) + 1);
		if (executions.get(owner)?.['status']?.pipelineRunRef?.uid !== run.uid)
			broken.push(`${revision}: ${run.name} (${run.uid}) was started, and its execution does not name it`);
	}
	function liveUids(name: string): Set<string> {
		const live = new Set<string>();
		for (const run of runs.values()) if (run.name === name && run.started && !run.over) live.add(run.uid);
		for (const part of parts.values()) if (part.runName === name && part.alive) live.add(part.runUid);
		return live;
	}

	for (const { key, object, revision } of changes) {
		if (key.startsWith(kinds.executions)) {
			if (object !== undefined) executions.set(object['metadata'].uid, object);
			continue;
		}
		const name = nameOf(key, object, parts);
		if (key.startsWith(kinds.runs)) sawRun(key, object, revision);
		else if (object === undefined) parts.delete(key);
		else parts.set(key, key.startsWith(kinds.pods) ? partOf(object, isPodAlive) : partOf(object, isTaskAlive));
		const live = liveUids(name);
		if (live.size > 1) broken.push(`${revision}: of ${name} are alive: ${[...live].join(', ')}`);
	}
	return { broken, starts };
}

/** Of the run. */
function nameOf(key: string, object: KubeObject | undefined, parts: ReadonlyMap<string, Part>): string {
	const ofPart = object?.['metadata'].labels?.['tekton.dev/pipelineRun'] ?? parts.get(key)?.runName;
	return ofPart ?? key.slice(key.lastIndexOf('/') + 1);
}

/** Over: done, or being deleted, when Tekton does nothing with it any more; what is left of it are its parts. */
function liveRun({ metadata, spec, status }: KubeObject): LiveRun {
	return {
		uid: metadata.uid,
		name: metadata.name,
		started: spec.status === undefined,
		over: metadata.deletionTimestamp !== undefined || isDone(status),
	};
}

function partOf(object: KubeObject, isAlive: (object: KubeObject) => boolean): Part {
	const { labels = {} } = object['metadata'];
	return {
		runUid: labels['tekton.dev/pipelineRunUID'],
		runName: labels['tekton.dev/pipelineRun'],
		alive: isAlive(object),
	};
}

function isTaskAlive({ status }: KubeObject): boolean {
	return !isDone(status);
}

function isPodAlive({ status }: KubeObject): boolean {
	return !OVER_PHASES.includes(status?.phase);
}

function isDone(status: KubeObject | undefined): boolean {
	const succeeded = status?.['conditions']?.find(({ type }: { type: string }) => type === 'Succeeded');
	return succeeded?.status === 'True' || succeeded?.status === 'False';
}
