// The chain of a fingerprint: how a signal finds the RemediationRequest that stands for it, or makes the next one.
// Guarantee: from any old view, callers walk forward to the present, and of several that want to add a link the API
// server lets one; so per fingerprint at most one link is active. No lock is needed for that; it saves the races.
// Not guaranteed, and held by the next nets (ADR 6): a request that is deleted by hand, against the chain's rule, in
// the same instant; a view older than the retention of finished requests.
import { isActive, linkName, type NewLink, newestOf, type RequestLink } from '../objects/request-link.ts';

/** What the chain needs of the API server. Faults are thrown. */
export type ChainStore = {
	create(link: NewLink): Promise<RequestLink | 'exists'>;
	get(name: string): Promise<RequestLink | undefined>;
	/** Consistent: as new as this call. */
	list(fingerprint: string): Promise<readonly RequestLink[]>;
	/** Compare-and-set on the version given. */
	setSuccessor(link: RequestLink, successor: string): Promise<RequestLink | 'changed' | 'gone'>;
};
export type ChainResult = { readonly outcome: 'created' | 'joined'; readonly link: RequestLink };

// Every step forward is a link that somebody finished meanwhile; more than this in one call is a fault of ours.
const MOST_STEPS = 50;

/** `view`: the newest link that the caller knows of. `beforeWrite` is asked before each write: it throws to stop. */
export async function joinOrCreate(
	store: ChainStore,
	fingerprint: string,
	view: RequestLink | undefined,
	beforeWrite: () => void = () => {},
): Promise<ChainResult> {
	let newest = view;
	for (let step = 0; step < MOST_STEPS; step++) {
		if (newest !== undefined && isActive(newest)) return { outcome: 'joined', link: newest };
		// What was announced binds everybody, and cannot be changed, whoever wrote it.
		const name = newest?.successor ?? linkName(fingerprint, newest?.uid);
		if (newest !== undefined && newest.successor === undefined) {
			beforeWrite();
			const announced = await store.setSuccessor(newest, name);
			if (announced === 'gone') {
				newest = newestOf(await store.list(fingerprint));
				continue;
			}
			if (announced === 'changed') {
				newest = (await store.get(newest.name)) ?? newestOf(await store.list(fingerprint));
				continue;
			}
			newest = announced;
		}
		beforeWrite();
		const created = await store.create({ name, chain: newest === undefined ? 0 : newest.chain + 1 });
		if (created !== 'exists') return { outcome: 'created', link: created };
		newest = (await store.get(name)) ?? newestOf(await store.list(fingerprint));
	}
	throw new Error(`the chain of ${fingerprint} did not settle within ${MOST_STEPS} steps`);
}
