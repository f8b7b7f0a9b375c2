// Counts repetitions on the request that stands for them: all that wait in this pod become one write with their exact
// number, and each is answered only when it is written.
// An answer that was lost is resolved by the commit's id: there, it was done; the version unchanged, it is sent again
// (the second of two fails on the version); the version moved without it, it is computed anew. So the count is exact;
// after a lost answer it may be one commit high when our id was pushed out meanwhile, never low.
import { randomBytes } from 'node:crypto';
import { KubeError } from './kube.ts';
import { isActive, type RequestLink } from './request-link.ts';
import { type Patched, type RequestStore, UNANSWERED } from './request-store.ts';

export type CommitResult =
	| { readonly outcome: 'counted'; readonly link: RequestLink; readonly occurrenceCount: number }
	/** The request ended before the repetition was written: it belongs to the next one. `link` is what was seen last. */
	| { readonly outcome: 'ended'; readonly link: RequestLink | undefined };

type Waiter = { readonly resolve: (result: CommitResult) => void; readonly reject: (error: unknown) => void };
type Line = { link: RequestLink; waiting: Waiter[] };

const MOST_TRIES = 20;
// Each costs a whole timeout, and whoever waits in line has a deadline.
const MOST_UNANSWERED = 3;
// The CRD allows 64 pods; replicas come and go over the life of a request, so old ones are forgotten in time.
const MOST_REMEMBERED_PODS = 32;

export class OccurrenceCommitter {
	readonly #store: Pick<RequestStore, 'get' | 'addOccurrences'>;
	readonly #podName: string;
	readonly #now: () => Date;
	readonly #onLink: (link: RequestLink) => void;
	readonly #gather: () => Promise<void>;
	/** Lines by uid; one that nobody stands in is gone. */
	readonly #lines = new Map<string, Line>();

	/** `gather`: waited for before a group is closed, so that whoever is at the door comes along. */
	constructor(
		store: Pick<RequestStore, 'get' | 'addOccurrences'>,
		podName: string,
		now: () => Date,
		onLink: (link: RequestLink) => void,
		gather: () => Promise<void> = () => Promise.resolve(),
	) {
		this.#store = store;
		this.#podName = podName;
		this.#now = now;
		this.#onLink = onLink;
		this.#gather = gather;
	}

	/** One more occurrence on this request. */
	count(link: RequestLink): Promise<CommitResult> {
		return new Promise((resolve, reject) => {
			const line = this.#lines.get(link.uid);
			if (line !== undefined) {
				line.waiting.push({ resolve, reject });
				return;
			}
			const opened: Line = { link, waiting: [{ resolve, reject }] };
			this.#lines.set(link.uid, opened);
			void this.#serve(opened);
		});
	}

	get lines(): number {
		return this.#lines.size;
	}

	/** While a write is under way the next group gathers. */
	async #serve(line: Line): Promise<void> {
		await this.#gather();
		while (line.waiting.length > 0) {
			const group = line.waiting.splice(0);
			try {
				const result = await this.#commit(line.link, group.length);
				if (result.link?.uid === line.link.uid) line.link = result.link;
				group.forEach(({ resolve }, place) => resolve(answerFor(result, group.length - 1 - place)));
			} catch (error) {
				for (const { reject } of group) reject(error);
			}
			if (line.waiting.length > 0) await this.#gather();
		}
		this.#lines.delete(line.link.uid);
	}

	async #commit(start: RequestLink, occurrences: number): Promise<CommitResult> {
		const id = randomBytes(8).toString('hex');
		let link: RequestLink = start;
		let unanswered = 0;
		for (let tries = 0; tries < MOST_TRIES; tries++) {
			if (!isActive(link)) return { outcome: 'ended', link };
			const written = await this.#tryWrite(link, occurrences, id);
			if (written === 'gone') return { outcome: 'ended', link: undefined };
			if (written !== 'changed' && !(written instanceof KubeError)) {
				this.#onLink(written);
				return { outcome: 'counted', link: written, occurrenceCount: written.count };
			}
			const current = await this.#store.get(link.name);
			if (current === undefined || current.uid !== link.uid) return { outcome: 'ended', link: current };
			this.#onLink(current);
			if (current.commits[this.#podName] === id)
				return { outcome: 'counted', link: current, occurrenceCount: current.count };
			if (written instanceof KubeError && ++unanswered === MOST_UNANSWERED) throw written;
			link = current;
		}
		throw new KubeError('KUBE_CONFLICT', `${start.name} changed ${MOST_TRIES} times while its count was being written`);
	}

	/** An error that is returned: no answer came; looking will tell whether it was done. */
	async #tryWrite(link: RequestLink, occurrences: number, id: string): Promise<Patched | KubeError> {
		try {
			return await this.#store.addOccurrences(link, {
				count: link.count + occurrences,
				lastSeenAt: this.#now().toISOString(),
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
