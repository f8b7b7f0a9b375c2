// All RemediationRequests, terminal ones included, as links by fingerprint. The view may be old: it is a place to start
// from, and the API server has the last word.
import { ObjectCache, version } from '../kube/object-cache.ts';
import { isActive, newestOf, type RequestLink } from './request-link.ts';

/** Sees every change of every request. */
export type CacheFollower = {
	changed(link: RequestLink): void;
	/** It is gone. */
	forget(link: RequestLink): void;
};

export class RequestCache {
	readonly #links = new ObjectCache<RequestLink, 'fingerprint'>(
		{ fingerprint: ({ fingerprint }) => fingerprint },
		(link) => this.#notify(link),
	);
	readonly #listeners = new Map<string, Set<() => void>>();
	readonly #follower: CacheFollower | undefined;

	constructor(follower?: CacheFollower) {
		this.#follower = follower;
	}

	get size(): number {
		return this.#links.size;
	}

	/** The highest link that is known. */
	newest(fingerprint: string): RequestLink | undefined {
		return newestOf(this.#links.by('fingerprint', fingerprint));
	}

	/** A version of this very request that was written since. */
	newerThan(link: RequestLink): RequestLink | undefined {
		const known = this.#links.get(link.name);
		return known !== undefined && known.uid === link.uid && version(known) > version(link) ? known : undefined;
	}

	/** An older version, arriving late, changes nothing. */
	changed(link: RequestLink): void {
		const known = this.#links.get(link.name);
		if (known !== undefined && version(known) >= version(link)) return;
		const others = this.#links.by('fingerprint', link.fingerprint).filter(({ name }) => name !== link.name);
		if (others.some((other) => isOutlived(link, other))) return;
		this.#links.changed(link);
		for (const other of others) if (isOutlived(other, link)) this.#links.removed(other);
	}

	removed(link: RequestLink): void {
		this.#links.removed(link);
	}

	replaceAll(links: readonly RequestLink[], resourceVersion: string, isRestored = false): void {
		this.#links.keepOnly(links, resourceVersion, isRestored);
		for (const link of links) this.changed(link);
	}

	/** Until the returned function is called. */
	onChange(fingerprint: string, listener: () => void): () => void {
		const listeners = this.#listeners.get(fingerprint) ?? new Set();
		this.#listeners.set(fingerprint, listeners.add(listener));
		return () => {
			listeners.delete(listener);
			if (listeners.size === 0) this.#listeners.delete(fingerprint);
		};
	}

	#notify(link: RequestLink): void {
		if (this.#links.get(link.name)?.uid === link.uid) this.#follower?.changed(link);
		else this.#follower?.forget(link);
		for (const listener of this.#listeners.get(link.fingerprint) ?? []) listener();
	}
}

/**
 * No link stands above an active one: a finished and older link there belongs to a chain that is gone. Two active links
 * are a fork, which a deletion by hand has made: all replicas stay with the higher one.
 */
function isOutlived(link: RequestLink, by: RequestLink): boolean {
	return isActive(by) && !isActive(link) && link.chain >= by.chain && version(link) < version(by);
}
