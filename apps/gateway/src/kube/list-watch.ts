// List and watch of all objects of one resource.
// Guarantee: the handler sees every object's latest state again and again; after any gap (an expired version, a line
// that cannot be parsed, an error event) it gets a fresh list, and objects that the list lacks are gone.
// Not guaranteed: that the state is current. A watch is always late; no decision may rest on it alone.
import type { Backoff, Clock } from '@kubernaut/backoff';
import { sleep, systemClock } from '@kubernaut/backoff';
import type { Log } from '../process/log.ts';
import { type KubeClient, KubeError } from './kube.ts';

export type ListWatchTarget = {
	readonly path: string;
	readonly resource: string;
	readonly namespace: string;
	readonly labelSelector?: string;
	readonly fieldSelector?: string;
};

export type ListWatchHandler<T> = {
	/** All objects, and the resourceVersion of the list. */
	replaced(items: readonly T[], resourceVersion: string): void;
	changed(item: T): void;
	removed(item: T): void;
	/** In sync with the API server, or out of sync with the reason: for readiness, not for safety. */
	syncChanged(inSync: boolean, reason: string): void;
};

export type ListWatch = { stop(): void };
export type ListWatchOptions = {
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly clock?: Clock;
	readonly random?: () => number;
};

type WatchEvent<T> = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'; readonly object: T };
type Versioned = { readonly metadata: { readonly resourceVersion: string } };
type List<T> = {
	readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
	readonly items: T[];
};

const PAGE_SIZE = 500;
// The server ends a watch after this time; spread, so that replicas do not reconnect together.
const MIN_WATCH_SECONDS = 240;
const WATCH_SPREAD_SECONDS = 120;
// Bookmarks come about once a minute; a longer silence means that the connection is dead.
const MAX_SILENCE_MS = 150_000;

// A server that answers and closes at once must not be called in a tight loop.
const MIN_HEALTHY_WATCH_MS = 1000;
const RELIST_AFTER_FAILURES = 3;

/** Events were missed: list again. */
class GapError extends Error {}

export function startListWatch<T>(
	kube: Pick<KubeClient, 'call' | 'lines'>,
	target: ListWatchTarget,
	project: (object: unknown) => T,
	handler: ListWatchHandler<T>,
	options: ListWatchOptions,
): ListWatch {
	const { backoff, clock = systemClock, random = Math.random } = options;
	const stopping = new AbortController();
	const query = selection(target);
	let resourceVersion: string | undefined;
	let failures = 0;

	async function follow(): Promise<void> {
		while (!stopping.signal.aborted) {
			try {
				resourceVersion ??= await listAll();
				await watchFrom();
			} catch (error) {
				if (stopping.signal.aborted) return;
				const gap = error instanceof GapError || (error instanceof KubeError && error.code === 'KUBE_GONE');
				failures++;
				// A version that the server never had (it was restored from a backup) fails for ever, without an event that says so.
				if (gap || failures % RELIST_AFTER_FAILURES === 0) resourceVersion = undefined;
				handler.syncChanged(false, error instanceof Error ? error.message : String(error));
				await sleep(backoff.calculate(failures), { signal: stopping.signal, clock });
			}
		}
	}

	async function listAll(): Promise<string> {
		const items: T[] = [];
		let token: string | undefined = '';
		let version = '';
		do {
			const page: List<unknown> = await kube.call({
				verb: 'list',
				path: `${target.path}?limit=${PAGE_SIZE}${query}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`,
				resource: target.resource,
				namespace: target.namespace,
				signal: stopping.signal,
			});
			for (const item of page.items) items.push(project(item));
			version = page.metadata.resourceVersion;
			token = page.metadata.continue;
		} while (token);
		handler.replaced(items, version);
		return version;
	}

	async function watchFrom(): Promise<void> {
		const seconds = MIN_WATCH_SECONDS + Math.floor(random() * WATCH_SPREAD_SECONDS);
		const path = `${target.path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=${seconds}&resourceVersion=${resourceVersion}${query}`;
		const call = { verb: 'watch', path, resource: target.resource, namespace: target.namespace } as const;
		handler.syncChanged(true, 'watching');
		const openedAt = performance.now();
		for await (const line of kube.lines(call, stopping.signal, MAX_SILENCE_MS)) {
			handle(parse(line));
			failures = 0;
		}
		if (performance.now() - openedAt < MIN_HEALTHY_WATCH_MS) throw new Error('the watch ended as soon as it began');
	}

	function handle(event: WatchEvent<unknown>): void {
		if (event.type === 'ERROR')
			throw new GapError(`the watch of ${target.resource} broke: ${JSON.stringify(event.object)}`);
		if (event.type === 'DELETED') handler.removed(project(event.object));
		else if (event.type !== 'BOOKMARK') handler.changed(project(event.object));
		({ resourceVersion } = (event.object as Versioned).metadata);
	}

	void follow();
	return { stop: () => stopping.abort() };
}

function selection({ labelSelector, fieldSelector }: ListWatchTarget): string {
	const labels = labelSelector === undefined ? '' : `&labelSelector=${encodeURIComponent(labelSelector)}`;
	return fieldSelector === undefined ? labels : `${labels}&fieldSelector=${encodeURIComponent(fieldSelector)}`;
}

function parse(line: string): WatchEvent<unknown> {
	try {
		return JSON.parse(line) as WatchEvent<unknown>;
	} catch {
		throw new GapError('a line of the watch could not be parsed');
	}
}

/** A log line for each change of a cache that follows the API server. */
export function logSync(log: Log): (what: string, inSync: boolean, reason: string) => void {
	return (what, inSync, reason) =>
		log[inSync ? 'debug' : 'warn']({ what, reason }, inSync ? 'cache in sync' : 'cache out of sync');
}
