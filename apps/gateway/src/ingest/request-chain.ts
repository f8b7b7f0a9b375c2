// The chain of a fingerprint: how a signal finds the RemediationRequest of its incident, or creates the next one.
// Guarantee: from any old view, callers walk forward to the present, and of several that add a link the API server
// accepts one; so per fingerprint at most one link is active. This needs no lock; the lock avoids the races.
// Not guaranteed, and covered by the next layers (ADR 6): a request that is deleted by hand, against the chain's rule,
// in the same instant; a view older than the retention of finished requests.
import { isActive, linkName, type NewLink, newestOf, type RequestLink } from '../objects/request-link.ts';
import type { PatchResult } from '../objects/request-store.ts';

/** The API server, as far as the chain needs it. Faults are thrown. */
export type ChainStore = {
	create(link: NewLink): Promise<RequestLink | 'exists'>;
	get(name: string): Promise<RequestLink | undefined>;
	/** Consistent: as new as this call. */
	list(fingerprint: string): Promise<readonly RequestLink[]>;
	/** Compare-and-set on the version given. */
	setSuccessor(link: RequestLink, successor: string): Promise<PatchResult>;
};
export type ChainResult = { readonly outcome: 'created' | 'joined'; readonly link: RequestLink };

// Every step forward is a link that was finished meanwhile; more than this in one call is a fault of ours.
const MAX_STEPS = 50;

/** `view`: the newest link that the caller knows of. `beforeWrite` runs before each write and throws to stop. */
export async function joinOrCreate(
	store: ChainStore,
	fingerprint: string,
	view: RequestLink | undefined,
	beforeWrite: () => void = () => {},
): Promise<ChainResult> {
	let newest = view;
	for (let step = 0; step < MAX_STEPS; step++) {
		if (newest !== undefined && isActive(newest)) return { outcome: 'joined', link: newest };
		// An announced name binds every replica and cannot be changed.
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
	throw new Error(`the chain of ${fingerprint} did not settle within ${MAX_STEPS} steps`);
}
