// Counts duplicates on the request of their incident: all that wait in this pod become one write with their exact number,
// and each is answered only after the write.
// A lost answer is resolved by the commit's id: id present, the write was done; version unchanged, it is sent again (the
// second of two fails on the version); version moved without the id, it is computed anew. So the count is exact; after a
// lost answer it may be one commit too high when our id was removed meanwhile, never too low.
import { randomBytes } from 'node:crypto';
import { KubeError } from '../kube/kube.ts';
import { isActive, type RequestLink } from '../objects/request-link.ts';
import { type PatchResult, type RequestStore, UNANSWERED } from '../objects/request-store.ts';

export type CommitResult =
	| { readonly outcome: 'counted'; readonly link: RequestLink; readonly occurrenceCount: number }
	/** The request ended before the duplicate was written, which belongs to the next one. `link`: its last known state. */
	| { readonly outcome: 'ended'; readonly link: RequestLink | undefined };

/** The requests as this replica knows them. They may be behind: the write itself finds out. */
export type KnownRequests = {
	/** A newer version of this very request. */
	newerThan(link: RequestLink): RequestLink | undefined;
	/** Like newerThan, but waits a moment for the watch. */
	awaitNewer(link: RequestLink): Promise<RequestLink | undefined>;
	changed(link: RequestLink): void;
};
export type CommitPorts = {
	readonly store: Pick<RequestStore, 'get' | 'addOccurrences'>;
	readonly known: KnownRequests;
	readonly now: () => Date;
	/** Ends when no more signals are about to join the group. */
	readonly gather: (size: () => number) => Promise<void>;
};

type Waiter = { readonly resolve: (result: CommitResult) => void; readonly reject: (error: unknown) => void };
type CommitQueue = { link: RequestLink; waiters: Waiter[] };

const MAX_TRIES = 20;
// Each costs a whole timeout, and the waiters have a deadline.
const MAX_UNANSWERED = 3;
// The CRD allows 64 pods; replicas come and go over the life of a request, so old ones are forgotten in time.
const MAX_REMEMBERED_PODS = 32;

export class OccurrenceCommitter {
	readonly #podName: string;
	readonly #ports: CommitPorts;
	/** By uid of the request; an empty queue is removed. */
	readonly #queues = new Map<string, CommitQueue>();

	constructor(podName: string, ports: CommitPorts) {
		this.#podName = podName;
		this.#ports = ports;
	}

	/** One more occurrence on this request. An abort before the write begins takes it back. */
	count(link: RequestLink, abort?: AbortSignal): Promise<CommitResult> {
		return new Promise((resolve, reject) => {
			const known = this.#queues.get(link.uid);
			const queue: CommitQueue = known ?? { link, waiters: [] };
			const leave = () => {
				const index = queue.waiters.indexOf(waiter);
				if (index === -1) return;
				queue.waiters.splice(index, 1);
				reject(abort?.reason);
			};
			const settled = () => abort?.removeEventListener('abort', leave);
			const waiter: Waiter = {
				resolve: (result) => (settled(), resolve(result)),
				reject: (error) => (settled(), reject(error)),
			};
			abort?.addEventListener('abort', leave, { once: true });
			queue.waiters.push(waiter);
			if (known !== undefined) return;
			this.#queues.set(link.uid, queue);
			void this.#serve(queue);
		});
	}

	get queues(): number {
		return this.#queues.size;
	}

	/** While a write is under way the next group gathers. */
	async #serve(queue: CommitQueue): Promise<void> {
		while (queue.waiters.length > 0) {
			await this.#ports.gather(() => queue.waiters.length);
			const group = queue.waiters.splice(0);
			if (group.length === 0) break; // all have left
			try {
				const result = await this.#commit(queue, group);
				if (result.link?.uid === queue.link.uid) queue.link = result.link;
				group.forEach(({ resolve }, index) => resolve(answerFor(result, group.length - 1 - index)));
			} catch (error) {
				for (const { reject } of group) reject(error);
			}
		}
		this.#queues.delete(queue.link.uid);
	}

	async #commit(queue: CommitQueue, group: Waiter[]): Promise<CommitResult> {
		const { store, known } = this.#ports;
		const id = randomBytes(8).toString('hex');
		let link = known.newerThan(queue.link) ?? queue.link;
		let unanswered = 0;
		for (let tries = 0; tries < MAX_TRIES; tries++) {
			if (!isActive(link)) return { outcome: 'ended', link };
			const written = await this.#tryWrite(link, group.length, id);
			if (written === 'gone') return { outcome: 'ended', link: undefined };
			if (written !== 'changed' && !(written instanceof KubeError)) {
				known.changed(written);
				return { outcome: 'counted', link: written, occurrenceCount: written.count };
			}
			const watched = written === 'changed' ? await known.awaitNewer(link) : undefined;
			const current = watched ?? (await store.get(link.name));
			if (current === undefined || current.uid !== link.uid) return { outcome: 'ended', link: current };
			known.changed(current);
			if (current.commits[this.#podName] === id)
				return { outcome: 'counted', link: current, occurrenceCount: current.count };
			if (written instanceof KubeError && ++unanswered === MAX_UNANSWERED) throw written;
			// Signals that came meanwhile join, unless a write with the old number may still be done.
			if (unanswered === 0) group.push(...queue.waiters.splice(0));
			link = current;
		}
		throw new KubeError(
			'KUBE_CONFLICT',
			`${queue.link.name} changed ${MAX_TRIES} times while its count was being written`,
		);
	}

	/** A returned error means: no answer came; a read will show whether the write was done. */
	async #tryWrite(link: RequestLink, occurrences: number, id: string): Promise<PatchResult | KubeError> {
		try {
			return await this.#ports.store.addOccurrences(link, {
				count: link.count + occurrences,
				lastSeenAt: this.#ports.now().toISOString(),
				commits: { ...forgotten(link.commits, this.#podName), [this.#podName]: id },
			});
		} catch (error) {
			if (error instanceof KubeError && UNANSWERED.has(error.code)) return error;
			throw error;
		}
	}
}

function forgotten(commits: Readonly<Record<string, string>>, podName: string): Record<string, null> {
	const others = Object.keys(commits).filter((pod) => pod !== podName);
	return others.length < MAX_REMEMBERED_PODS ? {} : Object.fromEntries(others.map((pod) => [pod, null]));
}

/** Each of a group gets the count that its own occurrence made. */
function answerFor(result: CommitResult, behind: number): CommitResult {
	return result.outcome === 'ended' ? result : { ...result, occurrenceCount: result.occurrenceCount - behind };
}
