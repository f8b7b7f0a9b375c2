// JSON patches of the gateway's part of a request's status. Each tests what it was computed from and carries no
// resourceVersion, so that the API server merges any number of writers; a test that fails means that nothing was written.
// `test` with null asks that a field is absent.
import type { RequestLink } from './request-link.ts';
import { totalOf } from './request-link.ts';

export type PatchOperation =
	| { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
	| { readonly op: 'remove'; readonly path: string };
export type JsonPatch = readonly PatchOperation[];

/** Signals that one process adds to its own slot. */
export type Occurrences = {
	readonly slot: string;
	readonly count: number;
	readonly lastSeenAt: string;
	/** The newest beginning of the problem among them; absent when their source reports none. */
	readonly firingTime: string | undefined;
	/** Whether the readable count is brought up to date in the same write. */
	readonly settles: boolean;
};

const COUNTERS = '/status/deduplication';
const RESOLVED_AT = '/status/signalResolvedAt';

export function countPatch(link: RequestLink, occurrences: Occurrences): JsonPatch {
	const { slot, count, lastSeenAt, settles } = occurrences;
	// Requests of gateways that kept the count in occurrenceCount alone.
	const missing = Math.max(0, link.occurrenceCount - totalOf(link));
	return [
		...standing(link),
		test(slotPath(slot), link.slots[slot] ?? null),
		add(slotPath(slot), (link.slots[slot] ?? 0) + count),
		add(`${COUNTERS}/lastSeenAt`, lastSeenAt),
		...(missing === 0 ? [] : [test(`${COUNTERS}/base`, link.base), add(`${COUNTERS}/base`, link.base + missing)]),
		...(settles ? settleTo(link, totalOf(link) + missing + count) : []),
		...firingPatch(link, occurrences.firingTime),
	];
}

/** The slots become part of the base. */
export function foldPatch(link: RequestLink, slots: Readonly<Record<string, number>>): JsonPatch {
	const folded = Object.values(slots).reduce((sum, count) => sum + count, link.base);
	return [
		...standing(link),
		test(`${COUNTERS}/base`, link.base),
		...Object.entries(slots).flatMap(([slot, count]) => [test(slotPath(slot), count), remove(slotPath(slot))]),
		add(`${COUNTERS}/base`, folded),
	];
}

/** The readable count follows. Allowed after the end, too. */
export function settlePatch(link: RequestLink): JsonPatch {
	return [test('/metadata/uid', link.uid), ...settleTo(link, totalOf(link))];
}

/**
 * A problem that begins again meanwhile is not over: its count has moved the firing time. A request that ends meanwhile may
 * have a successor, which is then the one to mark.
 */
export function resolvedPatch(link: RequestLink, resolvedAt: string): JsonPatch {
	return [
		...standing(link),
		test('/status/overallPhase', link.phase ?? null),
		test(`${COUNTERS}/lastFiringTime`, link.lastFiringTime ?? null),
		add(RESOLVED_AT, resolvedAt),
	];
}

export function isLater(time: string, than: string): boolean {
	return Date.parse(time) > Date.parse(than);
}

/** Changed only when it grows, so that repetitions of one alert do not contend for it. */
function firingPatch(link: RequestLink, firingTime: string | undefined): JsonPatch {
	if (firingTime === undefined || !isLater(firingTime, link.lastFiringTime ?? link.firingTime)) return [];
	const isAgain = link.resolvedAt !== undefined && isLater(firingTime, link.resolvedAt);
	return [
		test(`${COUNTERS}/lastFiringTime`, link.lastFiringTime ?? null),
		add(`${COUNTERS}/lastFiringTime`, firingTime),
		test(RESOLVED_AT, link.resolvedAt ?? null),
		...(isAgain ? [remove(RESOLVED_AT)] : []),
	];
}

function settleTo({ occurrenceCount }: RequestLink, total: number): JsonPatch {
	return [test(`${COUNTERS}/occurrenceCount`, occurrenceCount), add(`${COUNTERS}/occurrenceCount`, total)];
}

function standing({ uid }: RequestLink): JsonPatch {
	return [test('/metadata/uid', uid), test('/metadata/deletionTimestamp', null)];
}

function slotPath(slot: string): string {
	return `${COUNTERS}/slots/${slot.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function test(path: string, value: unknown): PatchOperation {
	return { op: 'test', path, value };
}

/** Replaces a value that is there. */
function add(path: string, value: unknown): PatchOperation {
	return { op: 'add', path, value };
}

function remove(path: string): PatchOperation {
	return { op: 'remove', path };
}
