// Counts repetitions on the request that stands for them: all that wait in this pod become one write with their exact
// number, and each is answered only when it is written.
// An answer that was lost is resolved by the commit's id: there, it was done; the version unchanged, it is sent again
// (the second of two fails on the version); the version moved without it, it is computed anew. So the count is exact;
// after a lost answer it may be one commit high when our id was pushed out meanwhile, never low.
import { randomBytes } from 'node:crypto';
import { KubeError } from '../kube/kube.ts';
import { isActive, type RequestLink } from '../objects/request-link.ts';
import { type Patched, type RequestStore, UNANSWERED } from '../objects/request-store.ts';

export type CommitResult =
	| { readonly outcome: 'counted'; readonly link: RequestLink; readonly occurrenceCount: number }
	/** The request ended before the repetition was written: it belongs to the next one. `link` is what was seen last. */
	| { readonly outcome: 'ended'; readonly link: RequestLink | undefined };

/** What this replica knows of requests. It may be old: the write itself finds out. */
export type KnownRequests = {
	/** Of this very request, and newer than that. */
	newerThan(link: RequestLink): RequestLink | undefined;
	/** Like newerThan, but waits a moment for it: whoever wrote just now is soon heard of. */
	awaitNewer(link: RequestLink): Promise<RequestLink | undefined>;
	changed(link: RequestLink): void;
};
export type CommitPorts = {
	readonly store: Pick<RequestStore, 'get' | 'addOccurrences'>;
	readonly known: KnownRequests;
	readonly now: () => Date;
	/** Waited for before a group is closed, so that whoever is at the door comes along. */
	readonly gather: (size: () => number) => Promise<void>;
};

type Waiter = { readonly resolve: (result: CommitResult) => void; readonly reject: (error: unknown) => void };
type Line = { link: RequestLink; waiting: Waiter[] };

const MOST_TRIES = 20;
// Each costs a whole timeout, and whoever waits in line has a deadline.
const MOST_UNANSWERED = 3;
// The CRD allows 64 pods; replicas come and go over the life of a request, so old ones are forgotten in time.
const MOST_REMEMBERED_PODS = 32;

export class OccurrenceCommitter {
	readonly #podName: string;
	readonly #ports: CommitPorts;
	/** Lines by uid; one that nobody stands in is gone. */
	readonly #lines = new Map<string, Line>();

	constructor(podName: string, ports: CommitPorts) {
		this.#podName = podName;
		this.#ports = ports;
	}

	/** One more occurrence on this request. Who leaves before it is being written is not counted. */
	count(link: RequestLink, signal?: AbortSignal): Promise<CommitResult> {
		return new Promise((resolve, reject) => {
			const known = this.#lines.get(link.uid);
			const line: Line = known ?? { link, waiting: [] };
			const leave = () => {
				const place = line.waiting.indexOf(waiter);
				if (place === -1) return;
				line.waiting.splice(place, 1);
				reject(signal?.reason);
			};
			const settled = () => signal?.removeEventListener('abort', leave);
			const waiter: Waiter = {
				resolve: (result) => (settled(), resolve(result)),
				reject: (error) => (settled(), reject(error)),
			};
			signal?.addEventListener('abort', leave, { once: true });
			line.waiting.push(waiter);
			if (known !== undefined) return;
			this.#lines.set(link.uid, line);
			void this.#serve(line);
		});
	}

	get lines(): number {
		return this.#lines.size;
	}

	/** While a write is under way the next group gathers. */
	async #serve(line: Line): Promise<void> {
		while (line.waiting.length > 0) {
			await this.#ports.gather(() => line.waiting.length);
			const group = line.waiting.splice(0);
			if (group.length === 0) break; // all have left
			try {
				const result = await this.#commit(line, group);
				if (result.link?.uid === line.link.uid) line.link = result.link;
				group.forEach(({ resolve }, place) => resolve(answerFor(result, group.length - 1 - place)));
			} catch (error) {
				for (const { reject } of group) reject(error);
			}
		}
		this.#lines.delete(line.link.uid);
	}

	async #commit(line: Line, group: Waiter[]): Promise<CommitResult> {
		const { store, known } = this.#ports;
		const id = randomBytes(8).toString('hex');
		let link = known.newerThan(line.link) ?? line.link;
		let unanswered = 0;
		for (let tries = 0; tries < MOST_TRIES; tries++) {
			if (!isActive(link)) return { outcome: 'ended', link };
			const written = await this.#tryWrite(link, group.length, id);
			if (written === 'gone') return { outcome: 'ended', link: undefined };
			if (written !== 'changed' && !(written instanceof KubeError)) {
				known.changed(written);
				return { outcome: 'counted', link: written, occurrenceCount: written.count };
			}
			const heard = written === 'changed' ? await known.awaitNewer(link) : undefined;
			const current = heard ?? (await store.get(link.name));
			if (current === undefined || current.uid !== link.uid) return { outcome: 'ended', link: current };
			known.changed(current);
			if (current.commits[this.#podName] === id)
				return { outcome: 'counted', link: current, occurrenceCount: current.count };
			if (written instanceof KubeError && ++unanswered === MOST_UNANSWERED) throw written;
			// Whoever came meanwhile comes along, unless a write with the old number may still be done.
			if (unanswered === 0) group.push(...line.waiting.splice(0));
			link = current;
		}
		throw new KubeError(
			'KUBE_CONFLICT',
			`${line.link.name} changed ${MOST_TRIES} times while its count was being written`,
		);
	}

	/** An error that is returned: no answer came; looking will tell whether it was done. */
	async #tryWrite(link: RequestLink, occurrences: number, id: string): Promise<Patched | KubeError> {
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
	return others.length < MOST_REMEMBERED_PODS ? {} : Object.fromEntries(others.map((pod) => [pod, null]));
}

/** Each of a group is told the count that its own occurrence made. */
function answerFor(result: CommitResult, behind: number): CommitResult {
	return result.outcome === 'ended' ? result : { ...result, occurrenceCount: result.occurrenceCount - behind };
}
