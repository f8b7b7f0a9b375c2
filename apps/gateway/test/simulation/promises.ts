// What the chain promises, as a judge of each step: of the world after it and of the store before it.
import { isActive, type Store, totalOf } from './store-model.ts';

/** A promise is broken. */
export class Violation extends Error {}

export type Accounts = {
	/** Uid → what the request counted before the first signal came. */
	readonly opening: Readonly<Record<string, number>>;
	/** Uid → signals that were answered as stored on it. */
	readonly stored: Readonly<Record<string, number>>;
	/** Signals under way, cut off by a crash, or deferred: each may be counted once, or not at all. */
	readonly open: number;
};

export function judge(store: Store, before: Store, accounts: Accounts): void {
	if (store !== before) {
		oneIsActive(store);
		newLinksFollow(store, before);
	}
	signalsAreCounted(store, accounts);
}

function oneIsActive({ links }: Store): void {
	const active = links.filter(isActive);
	if (active.length > 1) throw new Violation(`two active links: ${active.map(({ uid }) => short(uid)).join(' and ')}`);
}

/** A new link is the next of the link that announces it, and newer than all that there are. */
function newLinksFollow({ links }: Store, before: Store): void {
	for (const { uid, name, chain } of links) {
		if (before.links.some((known) => known.uid === uid)) continue;
		const newest = before.links.at(-1);
		if (newest !== undefined && newest.chain >= chain)
			throw new Violation(`${short(uid)} has number ${chain}, and ${short(newest.uid)} has ${newest.chain}`);
		const announcing = before.links.find(({ successor }) => successor === name);
		const want = announcing === undefined ? 0 : announcing.chain + 1;
		if (chain !== want) throw new Violation(`${short(uid)} has number ${chain} instead of ${want}`);
	}
}

/** None is lost; none is counted twice, although an answer may be lost. */
function signalsAreCounted({ links }: Store, { opening, stored, open }: Accounts): void {
	let more = 0;
	for (const link of links) {
		const { uid, occurrenceCount } = link;
		const count = totalOf(link);
		const known = (opening[uid] ?? 0) + (stored[uid] ?? 0);
		if (occurrenceCount > count) throw new Violation(`${short(uid)} shows ${occurrenceCount} and counts ${count}`);
		if (count < known)
			throw new Violation(`${short(uid)} counts ${count} of the ${known} signals that were answered as stored`);
		more += count - known;
	}
	if (more > open)
		throw new Violation(`${more} more signals were counted than answered as stored, and only ${open} are open`);
}

export function short(nameOrUid: string): string {
	return nameOrUid.replace(/^rr-[0-9a-f]{12}-([0-9a-f]{4})[0-9a-f]*/, '$1');
}
