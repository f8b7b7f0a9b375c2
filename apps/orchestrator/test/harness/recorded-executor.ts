// Plays the executor, and writes down from which version of the store to which each execution had its target. Versions
// order everything that one etcd has stored, also over a restart of the API server, where a watch would have a gap.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import type { World } from './world.ts';

export type Stay = {
	readonly name: string;
	readonly target: string;
	readonly requestUid: string;
	readonly from: bigint;
	readonly to: bigint;
};

export class RecordedExecutor {
	readonly stays: Stay[] = [];
	readonly #world: World;
	readonly #runMs: number;
	readonly #running = new Map<string, Promise<void>>();
	readonly #stopping = new AbortController();
	readonly #playing: Promise<void>;

	constructor(world: World, runMs: number) {
		this.#world = world;
		this.#runMs = runMs;
		this.#playing = this.#play();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#playing;
		await Promise.all(this.#running.values());
	}

	/** Pairs that had a target together. */
	overlaps(): string[] {
		const found: string[] = [];
		const byTarget = Map.groupBy(this.stays, ({ target }) => target);
		for (const stays of byTarget.values()) {
			const inOrder = stays.toSorted((a, b) => (a.from < b.from ? -1 : 1));
			for (const [i, stay] of inOrder.slice(1).entries())
				if (stay.from < inOrder[i]!.to) found.push(`${stay.name} had ${stay.target} while ${inOrder[i]!.name} did`);
		}
		return found;
	}

	ranFor(requestUid: string): number {
		return this.stays.filter((stay) => stay.requestUid === requestUid).length;
	}

	async #play(): Promise<void> {
		while (!this.#stopping.signal.aborted) {
			const executions = await this.#world.executions().catch(() => []); // the API server is away
			for (const execution of executions)
				if (execution['status'] === undefined && !this.#running.has(execution['metadata'].uid))
					this.#running.set(execution['metadata'].uid, this.#run(execution));
			await delay(30);
		}
	}

	/** Untouched until now, so that its version is the one of its creation. */
	async #run({ metadata, spec }: KubeObject): Promise<void> {
		await delay(this.#runMs);
		const ended = await this.#end(metadata.name);
		this.stays.push({
			name: metadata.name,
			target: spec.targetResource,
			requestUid: spec.remediationRequestRef.uid,
			from: BigInt(metadata.resourceVersion),
			to: BigInt(ended['metadata'].resourceVersion),
		});
	}

	async #end(name: string): Promise<KubeObject> {
		for (;;)
			try {
				await this.#world.endExecution(name, 'Completed');
				return await this.#world.api.call('GET', this.#world.path('workflowexecutions', name));
			} catch {
				await delay(100); // the API server is away, or the answer was lost: done twice is done once
			}
	}
}
