// Every change of the PipelineRuns and WorkflowExecutions of a test, in the order in which each kind was stored. Exclusion is
// judged from this, not from a final count: two that ran one after the other look the same in the end.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import { createKubeClient, type KubeClient, KubeError, loadKubeConfig } from '../../src/kube/kube.ts';

export type Change = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject };

const SILENCE_MS = 600_000;
const RETRY_MS = 100;
const CALL_TIMEOUT_MS = 30_000;

export class RecordedChanges {
	readonly changes: Change[] = [];
	readonly #kube: KubeClient;
	readonly #stopping = new AbortController();
	readonly #recording: Promise<void>;
	#fault: unknown;

	constructor(kubeconfig: string, path: string) {
		this.#kube = createKubeClient(loadKubeConfig(kubeconfig), CALL_TIMEOUT_MS, { called() {} });
		this.#recording = this.#follow(path).catch((error: unknown) => {
			this.#fault = error;
		});
	}

	/** Fails when there is a gap in what was recorded. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#recording;
		await this.#kube.close();
		if (this.#fault !== undefined) throw this.#fault;
	}

	async #follow(path: string): Promise<void> {
		const { signal } = this.#stopping;
		let version = '0';
		while (!signal.aborted) {
			try {
				const call = {
					verb: 'watch',
					resource: 'history',
					path: `${path}?watch=1&resourceVersion=${version}`,
				} as const;
				for await (const line of this.#kube.lines(call, signal, SILENCE_MS)) {
					const change = JSON.parse(line) as Change;
					if (change.object['kind'] === 'Status') throw new Error(`the history has a gap: ${line}`);
					version = change.object['metadata'].resourceVersion;
					this.changes.push(change);
				}
			} catch (error) {
				if (signal.aborted) return;
				if (!(error instanceof KubeError)) throw error;
			}
			await delay(RETRY_MS);
		}
	}
}

/** One moment of one run. */
export type Moment = {
	readonly uid: string;
	readonly execution: string;
	readonly started: boolean;
	readonly over: boolean;
};

/** Started: not pending any more, and not cancelled before. Over: done, being deleted, or gone. */
export function momentOf({ type, object }: Change): Moment {
	const { uid, labels, deletionTimestamp } = object['metadata'];
	const status = object['status']?.conditions?.[0]?.status;
	return {
		uid,
		execution: labels?.['kubernaut.ai/workflow-execution'] ?? '',
		started: object['spec'].status === undefined,
		over: type === 'DELETED' || deletionTimestamp !== undefined || status === 'True' || status === 'False',
	};
}

/** The largest number of runs of one name that were started and not over at one moment; and the starts of each execution. */
export function judgeRuns(changes: readonly Change[]): { readonly most: number; readonly starts: Map<string, number> } {
	const live = new Map<string, Set<string>>();
	const started = new Set<string>();
	const starts = new Map<string, number>();
	let most = 0;
	for (const change of changes) {
		const { uid, execution, started: isStarted, over } = momentOf(change);
		const { name } = change.object['metadata'];
		const ofName = live.get(name) ?? new Set<string>();
		live.set(name, ofName);
		if (isStarted && !started.has(uid)) {
			started.add(uid);
			starts.set(execution, (starts.get(execution) ?? 0) + 1);
		}
		if (isStarted && !over) ofName.add(uid);
		else ofName.delete(uid);
		most = Math.max(most, ofName.size);
	}
	return { most, starts };
}
