// JSON patches of the gateway's part of a request's status. Each tests what it was computed from and carries no
// resourceVersion, so that the API server merges any number of writers; a test that fails means that nothing was written.
// `test` with null asks that a field is absent.
import { endedOthers, type FiringAlert, freshAlerts, missingRoom } from './alert-entries.ts';
import { type RequestLink, totalOf } from './request-link.ts';

export type PatchOperation =
	| { readonly op: 'test' | 'add'; readonly path: string; readonly value: unknown }
	| { readonly op: 'remove'; readonly path: string };
export type JsonPatch = readonly PatchOperation[];

/** Signals that one process adds to its own slot. */
export type Occurrences = {
	readonly slot: string;
	readonly count: number;
	readonly lastSeenAt: string;
	/** Those among them that have an end, which will be reported. */
	readonly alerts: readonly FiringAlert[];
	/** Whether the readable count is brought up to date in the same write. */
	readonly settles: boolean;
};

const COUNTERS = '/status/deduplication';
export const ALERTS = '/status/alerts';
const ALERTS_OVERFLOW = '/status/alertsOverflow';
export const RESOLVED_AT = '/status/signalResolvedAt';

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
		...alertsPatch(link, occurrences.alerts),
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
 * Only alerts that the request does not follow yet are written, each with a test of what was seen of it, so that
 * repetitions of one alert do not contend. When the map is full, alerts that have ended make room.
 */
function alertsPatch(link: RequestLink, firing: readonly FiringAlert[]): JsonPatch {
	const fresh = link.alertsOverflow ? [] : freshAlerts(link, firing);
	if (fresh.length === 0) return [];
	const reopened = [
		test(RESOLVED_AT, link.resolvedAt ?? null),
		...(link.resolvedAt === undefined ? [] : [remove(RESOLVED_AT)]),
	];
	const missing = missingRoom(link, fresh);
	const ended = missing > 0 ? endedOthers(link, fresh) : [];
	if (missing > ended.length) return [...reopened, add(ALERTS_OVERFLOW, true)];
	return [
		...reopened,
		...ended.flatMap(([id, entry]) => [test(alertPath(id), entry), remove(alertPath(id))]),
		...fresh.flatMap(({ id, startsAt }) => [
			test(alertPath(id), link.alerts[id] ?? null),
			add(alertPath(id), { startsAt }),
		]),
	];
}

function settleTo({ occurrenceCount }: RequestLink, total: number): JsonPatch {
	return [test(`${COUNTERS}/occurrenceCount`, occurrenceCount), add(`${COUNTERS}/occurrenceCount`, total)];
}

export function standing({ uid }: RequestLink): JsonPatch {
	return [test('/metadata/uid', uid), test('/metadata/deletionTimestamp', null)];
}

export function alertPath(id: string): string {
	return `${ALERTS}/${id}`;
}

function slotPath(slot: string): string {
	return `${COUNTERS}/slots/${slot.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

export function test(path: string, value: unknown): PatchOperation {
	return { op: 'test', path, value };
}

/** Replaces a value that is there. */
export function add(path: string, value: unknown): PatchOperation {
	return { op: 'add', path, value };
}

function remove(path: string): PatchOperation {
	return { op: 'remove', path };
}
