// Alerts of one incident that begin, end, and begin again, in the sendings of which the interleavings are explored.
import type { Rules, Sending } from './world.ts';

const [T0, T1, T2, T3] = [
	'2026-01-01T00:00:00Z',
	'2026-01-01T01:00:00Z',
	'2026-01-01T02:00:00Z',
	'2026-01-01T03:00:00Z',
];
const A = '0123456789abcdef';
const B = 'b0b';

const fires = (id: string, startsAt: string, after?: number): Sending => ({
	alert: { id, startsAt },
	...(after === undefined ? {} : { after }),
});
const ends = (id: string, startsAt: string, endsAt: string, after: number): Sending => ({
	alert: { id, startsAt, endsAt },
	after,
});

/** Both end; the firing of one is sent twice, and the second may come after its end. */
export const TWO_ALERTS: readonly Sending[] = [
	fires(A, T0),
	fires(B, T0, 0),
	ends(A, T0, T1, 0),
	ends(B, T0, T2, 1),
	fires(B, T0, 0),
];
/** One begins again while the other ends. */
export const BEGINS_AGAIN: readonly Sending[] = [
	fires(A, T0),
	ends(A, T0, T1, 0),
	fires(A, T2, 1),
	fires(B, T0, 0),
	ends(B, T0, T3, 3),
	ends(A, T2, T3, 2),
];
/** A pair of Alertmanagers: each firing and each end is sent twice. */
export const PAIR: readonly Sending[] = [fires(A, T0), fires(A, T0), ends(A, T0, T1, 0), ends(A, T0, T1, 1)];

const COMMON: Partial<Rules> = { processes: 2, endings: 0, removals: 0 };
export const ALERT_SETTINGS: readonly { readonly name: string; readonly rules: Partial<Rules> }[] = [
	{ name: 'two alerts, and a firing that comes late', rules: { ...COMMON, sendings: TWO_ALERTS } },
	{ name: 'an alert that begins again', rules: { ...COMMON, sendings: BEGINS_AGAIN } },
	{ name: 'a pair of Alertmanagers, and an answer that is lost', rules: { ...COMMON, lostAnswers: 1, sendings: PAIR } },
];
