// Plays Tekton's controller and the garbage collector where neither runs: writes the status of PipelineRuns, and lets go of
// runs that are deleted in the foreground. It does what Tekton 1.15 does, as far as the executor depends on it: nothing
// happens to a pending run, none to one that is being deleted, and nothing changes after the end.
// No TaskRuns and pods: tests about those run on real Tekton.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';

export type Ending = { readonly status: 'True' | 'False'; readonly reason: string; readonly message: string };

const POLL_MS = 30;
const MERGE_PATCH = 'application/merge-patch+json';
const SUCCEEDED: Ending = {
	status: 'True',
	reason: 'Succeeded',
	message: 'Tasks Completed: 1 (Failed: 0, Cancelled 0), Skipped: 0',
};
const CANCELLED: Ending = { status: 'False', reason: 'Cancelled', message: 'PipelineRun was cancelled' };

export class PlayedTekton {
	readonly #api: KubeApi;
	readonly #path: string;
	readonly #stopping = new AbortController();
	#playing: Promise<void>;
	/** How long a run takes; Infinity: until it is ended. */
	durationMs = 200;
	/** How a run ends that is not cancelled. */
	endingOf: (run: KubeObject) => Ending = () => SUCCEEDED;
	/** Its controller is down. */
	isDown = false;
	readonly #startedAt = new Map<string, number>();

	constructor(api: KubeApi, namespace: string) {
		this.#api = api;
		this.#path = `/apis/tekton.dev/v1/namespaces/${namespace}/pipelineruns`;
		this.#playing = this.#play();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#playing;
	}

	async #play(): Promise<void> {
		while (!this.#stopping.signal.aborted) {
			const { status, body } = await this.#api.send('GET', this.#path);
			if (status === 200 && !this.isDown)
				await Promise.all((body['items'] as KubeObject[]).map((run) => this.#step(run)));
			await delay(POLL_MS);
		}
	}

	async #step(run: KubeObject): Promise<void> {
		const { name, uid, deletionTimestamp, finalizers = [] } = run['metadata'];
		const { conditions = [] } = run['status'] ?? {};
		const isDone = conditions[0]?.status === 'True' || conditions[0]?.status === 'False';
		if (deletionTimestamp !== undefined) {
			const others = finalizers.filter((finalizer: string) => finalizer !== 'foregroundDeletion');
			if (others.length < finalizers.length) await this.#patch(name, '', { metadata: { uid, finalizers: others } });
			return;
		}
		if (isDone || run['spec'].status === 'PipelineRunPending') return;
		if (run['spec'].status !== undefined) return this.#end(run, CANCELLED);
		const startedAt = this.#startedAt.get(uid);
		if (startedAt === undefined) {
			this.#startedAt.set(uid, performance.now());
			const running = { type: 'Succeeded', status: 'Unknown', reason: 'Running', message: 'Tasks Completed: 0' };
			await this.#patch(name, '/status', { metadata: { uid }, status: { startTime: now(), conditions: [running] } });
		} else if (performance.now() - startedAt >= this.durationMs) await this.#end(run, this.endingOf(run));
	}

	async #end(run: KubeObject, ending: Ending): Promise<void> {
		const { name, uid } = run['metadata'];
		const conditions = [{ type: 'Succeeded', ...ending, lastTransitionTime: now() }];
		await this.#patch(name, '/status', { metadata: { uid }, status: { completionTime: now(), conditions } });
	}

	/** It may have changed or gone meanwhile: the next look sees that. */
	async #patch(name: string, tail: string, body: object): Promise<void> {
		await this.#api.send('PATCH', `${this.#path}/${name}${tail}`, { body, contentType: MERGE_PATCH });
	}
}

function now(): string {
	return new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');
}
