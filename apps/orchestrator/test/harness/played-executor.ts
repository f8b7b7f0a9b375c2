// Plays the executor: every execution that shows up runs for a while and ends well, or as it is fated to. It writes down
// from which version of the store to which each execution held its target. Versions order everything that one etcd has
// stored, also over a restart of the API server, where a watch would have a gap.
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowExecution } from '../../src/generated/workflow-execution.ts';
import { MARKER_WORKFLOW, type World } from './world.ts';

export type Stay = {
	readonly name: string;
	readonly target: string;
	readonly requestUid: string;
	readonly from: bigint;
	readonly to: bigint;
	/** False: it was withdrawn before it began. */
	readonly ran: boolean;
};

/** How an execution ends; undefined: it is left alone for now. */
export type Fate = (execution: WorkflowExecution) => 'Completed' | 'Failed' | undefined;

// More often would keep the processes from their work: every look reads all executions.
const POLL_MS = 100;

export class PlayedExecutor {
	readonly stays: Stay[] = [];
	readonly #world: World;
	readonly #runMs: number;
	readonly #fate: Fate;
	readonly #running = new Map<string, Promise<void>>();
	readonly #stopping = new AbortController();
	readonly #playing: Promise<void>;

	constructor(world: World, runMs: number, fate: Fate = () => 'Completed') {
		this.#world = world;
		this.#runMs = runMs;
		this.#fate = fate;
		this.#playing = this.#play();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#playing;
		await this.settled();
	}

	/** Pairs that held a target together. */
	overlaps(): string[] {
		const found: string[] = [];
		const byTarget = Map.groupBy(this.stays, ({ target }) => target);
		for (const stays of byTarget.values()) {
			const inOrder = stays.toSorted((a, b) => (a.from < b.from ? -1 : 1));
			for (const [i, stay] of inOrder.slice(1).entries())
				if (stay.from < inOrder[i]!.to) found.push(`${stay.name} held ${stay.target} while ${inOrder[i]!.name} did`);
		}
		return found;
	}

	ranFor(requestUid: string): number {
		return this.stays.filter((stay) => stay.ran && stay.requestUid === requestUid).length;
	}

	/** Every execution that began has ended and is written down. */
	async settled(): Promise<void> {
		await Promise.all(this.#running.values());
	}

	async #play(): Promise<void> {
		while (!this.#stopping.signal.aborted) {
			const executions = await this.#world.executions().catch(() => []); // the API server is away
			for (const execution of executions) {
				const isMarker = execution.spec.workflowRef.name === MARKER_WORKFLOW; // the world ends those itself
				if (isMarker || execution.status !== undefined || this.#running.has(execution.metadata.uid)) continue;
				const phase = this.#fate(execution);
				if (phase !== undefined) this.#running.set(execution.metadata.uid, this.#run(execution, phase));
			}
			await delay(POLL_MS);
		}
	}

	/** Untouched until now, so that its version is the one of its creation. */
	async #run({ metadata, spec }: WorkflowExecution, phase: 'Completed' | 'Failed'): Promise<void> {
		await delay(this.#runMs);
		const ended = await this.#end(metadata.name, phase);
		if (ended === undefined) return;
		this.stays.push({
			name: metadata.name,
			target: spec.targetResource,
			requestUid: spec.remediationRequestRef.uid,
			from: BigInt(metadata.resourceVersion),
			to: BigInt(ended.metadata.resourceVersion),
			ran: ended.status?.phase === phase,
		});
	}

	/** As it is stored; undefined when it was deleted. Done twice is done once. */
	async #end(name: string, phase: 'Completed' | 'Failed'): Promise<WorkflowExecution | undefined> {
		while (!this.#stopping.signal.aborted) {
			try {
				await this.#world.endExecution(name, phase);
			} catch {
				// the API server is away, the answer was lost, or it was withdrawn meanwhile: reading it tells
			}
			const found = await this.#world.findExecution(name).catch(() => 'away' as const);
			if (found === undefined) return undefined;
			if (found !== 'away' && found.status?.completionTime !== undefined) return found;
			await delay(100);
		}
		return undefined;
	}
}
