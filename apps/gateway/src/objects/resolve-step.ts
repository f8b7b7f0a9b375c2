// What is to be done about an alert that ended, on the request as it is known: a value, decided anew from each answer.
// Each write tests what it was decided from: its own entry while other alerts fire, and the whole map when it marks the
// request as resolved, so that an alert that begins meanwhile refuses the mark.
import {
	type AlertEntry,
	countFiring,
	type EndedAlert,
	entryOf,
	isLater,
	missingRoom,
	newestEnd,
} from './alert-entries.ts';
import type { RequestLink } from './request-link.ts';
import { ALERTS, add, alertPath, type JsonPatch, RESOLVED_AT, standing, test } from './status-patch.ts';

export type ResolveStep =
	| { readonly step: 'write'; readonly patch: JsonPatch }
	/** All alerts have ended, and the request says so. */
	| { readonly step: 'resolved' }
	/** Its end is recorded; so many others fire. */
	| { readonly step: 'others-fire'; readonly firing: number }
	/** It began again after this end. */
	| { readonly step: 'outdated'; readonly firingAgainSince: string }
	/** The request has more alerts than it can follow. */
	| { readonly step: 'not-followed' };

export function resolveStep(link: RequestLink, alert: EndedAlert): ResolveStep {
	if (link.alertsOverflow) return { step: 'not-followed' };
	const known = entryOf(link, alert.id);
	if (known !== undefined && !isLater(alert.endsAt, known.startsAt))
		return { step: 'outdated', firingAgainSince: known.startsAt };
	const ended = known?.endsAt === undefined ? endOf(link, alert, known) : undefined;
	const alerts = ended === undefined ? link.alerts : { ...link.alerts, [alert.id]: ended };
	const firing = countFiring({ ...link, alerts });
	const record = ended === undefined ? [] : [add(alertPath(alert.id), ended)];
	if (firing > 0) {
		if (ended === undefined) return { step: 'others-fire', firing };
		return write(link, [test(alertPath(alert.id), link.alerts[alert.id] ?? null), ...record]);
	}
	if (ended === undefined && link.resolvedAt !== undefined) return { step: 'resolved' };
	return write(link, [test(ALERTS, link.alerts), ...record, add(RESOLVED_AT, newestEnd(alerts) ?? alert.endsAt)]);
}

/**
 * An alert whose firing has not arrived is recorded too: the firing may still come, and must not reopen the request.
 * Undefined when there is no room for it, or when it ends before it starts.
 */
function endOf(link: RequestLink, alert: EndedAlert, known: AlertEntry | undefined): AlertEntry | undefined {
	const { startsAt, endsAt } = alert;
	if (known !== undefined) return { startsAt: known.startsAt, endsAt };
	return isLater(endsAt, startsAt) && missingRoom(link, [alert]) <= 0 ? { startsAt, endsAt } : undefined;
}

/** A request that ends meanwhile may have a successor, which is then the one to write to. */
function write(link: RequestLink, operations: JsonPatch): ResolveStep {
	return { step: 'write', patch: [...standing(link), test('/status/overallPhase', link.phase ?? null), ...operations] };
}
