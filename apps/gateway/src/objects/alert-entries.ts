// The alerts of one request: each begins and ends on its own, and the problem is over when all of them have ended.
// The alert that made the request stands in its spec, and fires until an entry says that it ended.
// A firing that began while its entry lasted is no news, also when the entry has ended since: it was delivered late.
import { REMEDIATION_REQUEST_LIMITS } from '../generated/remediation-request.ts';
import type { RequestLink } from './request-link.ts';

/** `endsAt` is absent while it fires. */
export type AlertEntry = { readonly startsAt: string; readonly endsAt?: string };
export type FiringAlert = { readonly id: string; readonly startsAt: string };
export type EndedAlert = FiringAlert & { readonly endsAt: string };
type Alerts = RequestLink['alerts'];
type Holder = Pick<RequestLink, 'alerts' | 'alertId' | 'firingTime'>;

export const MAX_ALERTS: number = REMEDIATION_REQUEST_LIMITS['status.alerts'].maxProperties;

export function isLater(time: string, than: string): boolean {
	return Date.parse(time) > Date.parse(than);
}

export function entryOf({ alerts, alertId, firingTime }: Holder, id: string): AlertEntry | undefined {
	return alerts[id] ?? (id === alertId ? { startsAt: firingTime } : undefined);
}

/** Alerts that the request does not follow yet, each with its newest beginning. */
export function freshAlerts(link: Holder, firing: readonly FiringAlert[]): FiringAlert[] {
	const fresh = new Map<string, FiringAlert>();
	for (const alert of firing) {
		const { id, startsAt } = alert;
		const other = fresh.get(id);
		if (other !== undefined && !isLater(startsAt, other.startsAt)) continue;
		if (!isCovered(entryOf(link, id), startsAt)) fresh.set(id, alert);
	}
	return [...fresh.values()];
}

/** How many entries must go to make room for these alerts; the maker of the request keeps a place for its end. */
export function missingRoom({ alerts, alertId }: Holder, fresh: readonly FiringAlert[]): number {
	const ids = new Set([...Object.keys(alerts), ...fresh.map(({ id }) => id)]);
	if (alertId !== undefined) ids.add(alertId);
	return ids.size - MAX_ALERTS;
}

/** Entries that may go: what they say is over, and the request does not need it to be resolved. */
export function endedOthers({ alerts, alertId }: Holder, fresh: readonly FiringAlert[]): [string, AlertEntry][] {
	return Object.entries(alerts).filter(
		([id, { endsAt }]) => endsAt !== undefined && id !== alertId && !fresh.some((alert) => alert.id === id),
	);
}

export function countFiring({ alerts, alertId }: Pick<Holder, 'alerts' | 'alertId'>): number {
	const ofEntries = Object.values(alerts).filter(({ endsAt }) => endsAt === undefined).length;
	return alertId !== undefined && alerts[alertId] === undefined ? ofEntries + 1 : ofEntries;
}

/** Undefined when none has ended. */
export function newestEnd(alerts: Alerts): string | undefined {
	let newest: string | undefined;
	for (const { endsAt } of Object.values(alerts))
		if (endsAt !== undefined && (newest === undefined || isLater(endsAt, newest))) newest = endsAt;
	return newest;
}

function isCovered(entry: AlertEntry | undefined, startsAt: string): boolean {
	return entry !== undefined && !isLater(startsAt, entry.endsAt ?? entry.startsAt);
}
