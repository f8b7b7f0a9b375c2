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
	/** False: it was withdrawn before it began. */
	readonly ran: boolean;
};

// More often would keep the processes from their work: every look reads all executions.
const LOOK_EVERY_MS = 100;

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
		return this.stays.filter((stay) => stay.ran && stay.requestUid === requestUid).length;
	}

	/** What was begun is ended and written down. */
	async settled(): Promise<void> {
		await Promise.all(this.#running.values());
	}

	async #play(): Promise<void> {
		while (!this.#stopping.signal.aborted) {
			const executions = await this.#world.executions().catch(() => []); // the API server is away
			for (const execution of executions)
				if (execution['status'] === undefined && !this.#running.has(execution['metadata'].uid))
					this.#running.set(execution['metadata'].uid, this.#run(execution));
			await delay(LOOK_EVERY_MS);
		}
	}

	/** Untouched until now, so that its version is the one of its creation. */
	async #run({ metadata, spec }: KubeObject): Promise<void> {
		await delay(this.#runMs);
		const ended = await this.#end(metadata.name);
		if (ended === undefined) return;
		this.stays.push({
			name: metadata.name,
			target: spec.targetResource,
			requestUid: spec.remediationRequestRef.uid,
			from: BigInt(metadata.resourceVersion),
			to: BigInt(ended['metadata'].resourceVersion),
			ran: ended['status'].phase === 'Completed',
		});
	}

	/** As it is stored; undefined when somebody deleted it. Done twice is done once. */
	async #end(name: string): Promise<KubeObject | undefined> {
		while (!this.#stopping.signal.aborted) {
			try {
				await this.#world.endExecution(name, 'Completed');
			} catch {
				// the API server is away, the answer was lost, or it was withdrawn meanwhile: looking tells
			}
			const { status, body } = await this.#world.api
				.send('GET', this.#world.path('workflowexecutions', name))
				.catch(() => ({ status: 0, body: undefined }));
			if (status === 404) return undefined;
			if (status === 200 && body?.['status']?.completionTime !== undefined) return body;
			await delay(100);
		}
		return undefined;
	}
}
