// Follows the kinds that a controller decides from, each into its cache.
// Guarantee: `onListed` comes once, when every kind was listed, because nothing may be decided from a view with holes;
// after that everything is resynced from time to time, so that an overlooked change is not overlooked for long.
// After a restore of etcd, which one kind sees first, the others are listed again before anything more is decided: `onHold`
// comes at once, `onListed` once more when every kind shows the restored state.
import type { Backoff } from '@kubernaut/backoff';
import type { KubeClient } from '../kube/kube.ts';
import { type ListWatch, type ListWatchTarget, startListWatch } from '../kube/list-watch.ts';
import type { Clock } from '../process/clock.ts';
import type { Check } from '../process/health-server.ts';

/** Where the objects of one kind go: an ObjectCache, or what is fed like one. */
type Sink<T> = {
	replaceAll(items: readonly T[], resourceVersion: string, isRestored: boolean): void;
	changed(item: T): void;
	removed(item: T): void;
};
type Listener = {
	/** The list that follows shows a restored state: before it is in the cache. */
	restored(): void;
	listed(): void;
	syncChanged(inSync: boolean, reason: string): void;
};
export type FollowedKind = (kube: KubeClient, backoff: Pick<Backoff, 'calculate'>, listener: Listener) => ListWatch;

export type WatchesOptions = {
	readonly kube: KubeClient;
	/** By the name that logs and the readiness check give it. */
	readonly kinds: Readonly<Record<string, FollowedKind>>;
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly clock: Pick<Clock, 'setTimer'>;
	readonly onListed: () => void;
	readonly onHold: () => void;
	readonly resync: () => void;
	readonly onSync: (kind: string, inSync: boolean, reason: string) => void;
};
export type Watches = {
	/** For readiness: every kind was listed, since the last restore too. */
	check(): Check;
	/** Lists every kind again, whatever its watch has shown. */
	relist(): void;
	stop(): void;
};

const RESYNC_MS = 600_000;

/** `project` takes an object of the kind as the API server holds it, and returns what the sink keeps of it. */
export function follow<T>(target: ListWatchTarget, project: (object: never) => T, sink: Sink<T>): FollowedKind {
	return (kube, backoff, { restored, listed, syncChanged }) =>
		startListWatch(
			kube,
			target,
			(object) => project(object as never),
			{
				replaced(items, resourceVersion, isRestored) {
					if (isRestored) restored();
					sink.replaceAll(items, resourceVersion, isRestored);
					listed();
				},
				changed: (item) => sink.changed(item),
				removed: (item) => sink.removed(item),
				syncChanged,
			},
			{ backoff },
		);
}

export function startWatches(options: WatchesOptions): Watches {
	const { kube, backoff, clock } = options;
	const missing = new Set(Object.keys(options.kinds));
	let cancelResync = () => {};

	function resyncLater(): void {
		cancelResync = clock.setTimer(() => {
			options.resync();
			resyncLater();
		}, RESYNC_MS);
	}
	function listed(kind: string): void {
		if (!missing.delete(kind) || missing.size > 0) return;
		options.onListed();
		cancelResync();
		resyncLater();
	}

	function restored(kind: string): void {
		if (missing.size > 0) return; // the same restore: it is listed again anyway
		options.onHold();
		for (const each of Object.keys(options.kinds)) missing.add(each);
		for (const [other, watch] of watches) if (other !== kind) watch.relist();
	}

	const watches = new Map<string, ListWatch>();
	for (const [kind, start] of Object.entries(options.kinds))
		watches.set(
			kind,
			start(kube, backoff, {
				restored: () => restored(kind),
				listed: () => listed(kind),
				syncChanged: (inSync, reason) => options.onSync(kind, inSync, reason),
			}),
		);
	return {
		check: () => ({
			name: 'caches',
			ok: missing.size === 0,
			message: missing.size === 0 ? 'every kind is listed' : `not listed yet: ${[...missing].join(', ')}`,
		}),
		relist() {
			for (const watch of watches.values()) watch.relist();
		},
		stop() {
			cancelResync();
			for (const watch of watches.values()) watch.stop();
		},
	};
}
