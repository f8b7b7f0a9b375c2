// List and watch of all objects of one resource.
// Guarantee: the handler sees every object's latest state again and again; after any gap (an expired version, a line
// that cannot be parsed, an error event) it gets a fresh list, and objects that the list lacks are gone.
// Memory: one object and the projections, however many objects there are. A list is a stream of objects, each parsed and
// projected as it arrives; only a server that does not know such streams is asked for pages.
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
	/** All objects, and the resourceVersion of the list. `isRestored`: the versions of the API server went back. */
	replaced(items: readonly T[], resourceVersion: string, isRestored: boolean): void;
	changed(item: T): void;
	removed(item: T): void;
	/** In sync with the API server, or out of sync with the reason: for readiness, not for safety. */
	syncChanged(inSync: boolean, reason: string): void;
};

export type ListWatch = {
	stop(): void;
	/** Lists again at once, whatever was seen before. */
	relist(): void;
};
export type ListWatchOptions = {
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly clock?: Clock;
	readonly random?: () => number;
};

type WatchEvent = {
	readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
	readonly object: WatchedObject;
};
type WatchedObject = {
	readonly metadata: {
		readonly name: string;
		readonly resourceVersion: string;
		readonly annotations?: Readonly<Record<string, string>>;
	};
};
type Page = {
	readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
	readonly items: readonly unknown[];
};

/** On the bookmark that ends the list of a stream. */
const LIST_END = 'k8s.io/initial-events-end';
/** Of whole objects, which are up to 1.5 MB each. */
const PAGE_SIZE = 10;
// The server ends a watch after this time; spread, so that replicas do not reconnect together.
const MIN_WATCH_SECONDS = 240;
const WATCH_SPREAD_SECONDS = 120;
/** A stream that begins with a list must not end before the list does, also on a slow network. */
const LIST_SECONDS = 1800;
/** Between two objects of a list; there is no limit to the list as a whole. */
const MAX_LIST_SILENCE_MS = 15_000;
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
	const { resource, namespace } = target;
	const stopping = new AbortController();
	/** Of the stream that is read now. */
	let reading = new AbortController();
	const query = selection(target);
	/** To watch from; undefined: list first. */
	let resourceVersion: string | undefined;
	/** The newest that the API server has sent. */
	let seenVersion = '0';
	let failures = 0;
	/** The last stream was refused, or broke inside its list: pages arrive where a long stream is cut off each time. */
	let inPages = false;

	async function follow(): Promise<void> {
		while (!stopping.signal.aborted) {
			const { signal } = reading;
			try {
				if (resourceVersion !== undefined) await watchFrom(resourceVersion);
				else if (inPages) await listInPages();
				else await listAndWatch();
			} catch (error) {
				if (stopping.signal.aborted) return;
				if (signal.aborted) {
					inPages = false;
					continue;
				}
				const gap = error instanceof GapError || (error instanceof KubeError && error.code === 'KUBE_GONE');
				failures++;
				// A version that the server never had (it was restored from a backup) fails for ever, without an event that says so.
				if (gap || failures % RELIST_AFTER_FAILURES === 0) resourceVersion = undefined;
				handler.syncChanged(false, error instanceof Error ? error.message : String(error));
				await sleep(backoff.calculate(failures), { signal: untilEnd(), clock });
			}
		}
	}

	const untilEnd = (): AbortSignal => AbortSignal.any([stopping.signal, reading.signal]);

	/** One stream: the objects one by one, a bookmark that ends the list, then the changes. */
	async function listAndWatch(): Promise<void> {
		const listed = new Map<string, T>();
		let isListed = false;
		const path = `${target.path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=${LIST_SECONDS}${query}`;
		try {
			await readEvents(
				path,
				() => (isListed ? MAX_SILENCE_MS : MAX_LIST_SILENCE_MS),
				(event) => {
					if (isListed) return handle(event);
					isListed = addToList(event, listed);
					if (!isListed) return;
					replaceAll([...listed.values()], event.object);
					listed.clear();
				},
			);
			if (!isListed) throw new GapError(`the list of ${resource} ended before it was complete`);
		} catch (error) {
			if (isListed) throw error;
			// A server that does not know such lists finds the parameters invalid.
			const unknown = error instanceof KubeError && error.code === 'KUBE_INVALID';
			inPages = unknown || listed.size > 0 || !(error instanceof KubeError);
			if (unknown) return;
			throw error;
		}
	}

	/** Whether the list is complete. Changes during the list are among its events. */
	function addToList({ type, object }: WatchEvent, listed: Map<string, T>): boolean {
		const { name, annotations } = object.metadata;
		if (type === 'BOOKMARK') return annotations?.[LIST_END] === 'true';
		if (type === 'DELETED') listed.delete(name);
		else listed.set(name, project(object));
		return false;
	}

	async function listInPages(): Promise<void> {
		inPages = false; // the next list is a stream again
		const items: T[] = [];
		let page: Page | undefined;
		do {
			const token: string = page?.metadata.continue ?? '';
			page = await kube.call<Page>({
				verb: 'list',
				path: `${target.path}?limit=${PAGE_SIZE}${query}${token === '' ? '' : `&continue=${encodeURIComponent(token)}`}`,
				resource,
				namespace,
				signal: untilEnd(),
			});
			for (const item of page.items) items.push(project(item));
		} while (page.metadata.continue);
		replaceAll(items, page);
	}

	async function watchFrom(version: string): Promise<void> {
		const seconds = MIN_WATCH_SECONDS + Math.floor(random() * WATCH_SPREAD_SECONDS);
		const path = `${target.path}?watch=1&allowWatchBookmarks=true&timeoutSeconds=${seconds}&resourceVersion=${version}${query}`;
		await readEvents(
			path,
			() => MAX_SILENCE_MS,
			handle,
			() => handler.syncChanged(true, 'watching'),
		);
	}

	async function readEvents(
		path: string,
		maxSilenceMs: () => number,
		onEvent: (event: WatchEvent) => void,
		onAccepted?: () => void,
	): Promise<void> {
		const openedAt = performance.now();
		const call = { verb: 'watch', path, resource, namespace } as const;
		for await (const line of kube.lines(call, untilEnd(), maxSilenceMs, onAccepted)) {
			const event = parse(line);
			if (event.type === 'ERROR') throw new GapError(`the watch of ${resource} broke: ${JSON.stringify(event.object)}`);
			onEvent(event);
		}
		if (performance.now() - openedAt < MIN_HEALTHY_WATCH_MS) throw new Error('the watch ended as soon as it began');
	}

	function replaceAll(items: readonly T[], { metadata }: Pick<Page, 'metadata'>): void {
		// A list is as new as the call for it: an older one than what was sent before means that a backup was restored.
		const isRestored = BigInt(metadata.resourceVersion) < BigInt(seenVersion);
		handler.replaced(items, metadata.resourceVersion, isRestored);
		({ resourceVersion } = metadata);
		seenVersion = resourceVersion;
		handler.syncChanged(true, `listed ${items.length} objects`);
	}

	function handle({ type, object }: WatchEvent): void {
		if (type === 'DELETED') handler.removed(project(object));
		else if (type !== 'BOOKMARK') handler.changed(project(object));
		({ resourceVersion } = object.metadata);
		seenVersion = resourceVersion;
		failures = 0;
	}

	void follow();
	return {
		stop: () => stopping.abort(),
		relist() {
			const ended = reading;
			reading = new AbortController();
			resourceVersion = undefined;
			ended.abort();
		},
	};
}

function selection({ labelSelector, fieldSelector }: ListWatchTarget): string {
	const labels = labelSelector === undefined ? '' : `&labelSelector=${encodeURIComponent(labelSelector)}`;
	return fieldSelector === undefined ? labels : `${labels}&fieldSelector=${encodeURIComponent(fieldSelector)}`;
}

function parse(line: string): WatchEvent {
	try {
		return JSON.parse(line) as WatchEvent;
	} catch {
		throw new GapError('a line of the watch could not be parsed');
	}
}

/** A log line for each change of a cache that follows the API server. */
export function logSync(log: Log): (what: string, inSync: boolean, reason: string) => void {
	return (what, inSync, reason) =>
		log[inSync ? 'debug' : 'warn']({ what, reason }, inSync ? 'cache in sync' : 'cache out of sync');
}
