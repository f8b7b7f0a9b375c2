// All RemediationRequests, terminal ones included, as links by fingerprint. A view that may be old: it finds a place to
// start from, and the API server has the last word.
import { isActive, newestOf, type RequestLink } from './request-link.ts';

export class RequestCache {
	readonly #chains = new Map<string, Map<string, RequestLink>>();
	readonly #listeners = new Map<string, Set<() => void>>();

	/** The highest link that we know of. */
	newest(fingerprint: string): RequestLink | undefined {
		return newestOf(this.#chains.get(fingerprint)?.values() ?? []);
	}

	/** Of this very request: a version that somebody wrote since. */
	newerThan(link: RequestLink): RequestLink | undefined {
		const known = this.#chains.get(link.fingerprint)?.get(link.name);
		return known !== undefined && known.uid === link.uid && version(known) > version(link) ? known : undefined;
	}

	/** An older version, arriving late, changes nothing. */
	changed(link: RequestLink): void {
		const chain = this.#chains.get(link.fingerprint) ?? new Map<string, RequestLink>();
		this.#chains.set(link.fingerprint, chain);
		const known = chain.get(link.name);
		if (known !== undefined && version(known) >= version(link)) return;
		const others = [...chain.values()].filter(({ name }) => name !== link.name);
		if (others.some((other) => isOutlived(link, other))) return;
		for (const other of others) if (isOutlived(other, link)) chain.delete(other.name);
		chain.set(link.name, link);
		this.#tell(link.fingerprint);
	}

	/** `link`: the last version that is known to be gone; a newer one, made under the same name, stays. */
	removed(link: RequestLink): void {
		const chain = this.#chains.get(link.fingerprint);
		const known = chain?.get(link.name);
		if (chain === undefined || known === undefined || version(known) > version(link)) return;
		chain.delete(link.name);
		if (chain.size === 0) this.#chains.delete(link.fingerprint);
		this.#tell(link.fingerprint);
	}

	/** What a fresh list does not hold is gone, unless we made it after the list. */
	replaceAll(links: readonly RequestLink[], resourceVersion: string): void {
		const listed = new Set(links.map((link) => link.name));
		const known = [...this.#chains.values()].flatMap((chain) => [...chain.values()]);
		for (const link of known) if (!listed.has(link.name)) this.removed({ ...link, resourceVersion });
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

	get size(): number {
		let size = 0;
		for (const chain of this.#chains.values()) size += chain.size;
		return size;
	}

	#tell(fingerprint: string): void {
		for (const listener of this.#listeners.get(fingerprint) ?? []) listener();
	}
}

/**
 * While a link is active there is none above it: what stands there, is over and is older is of a chain that is gone. Two
 * that are active are a fork, made by somebody who deleted by hand: all replicas stay with the higher one.
 */
function isOutlived(link: RequestLink, by: RequestLink): boolean {
	return isActive(by) && !isActive(link) && link.chain >= by.chain && version(link) < version(by);
}

function version({ resourceVersion }: RequestLink): bigint {
	return BigInt(resourceVersion);
}
