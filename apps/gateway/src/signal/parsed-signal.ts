// What one part of a request's body says once it is understood: take this in, it is over, it is none of our business,
// or nobody could make anything of it.
import type { Signal } from './signal.ts';

export type SignalReading =
	| { readonly action: 'ingest' | 'resolve'; readonly signal: Signal }
	| { readonly action: 'ignore'; readonly message: string }
	| { readonly action: 'reject'; readonly message: string };

/** When and how a body came. */
export type Reception = { readonly receivedTime: Date; readonly resolvedAlerts: 'mark' | 'ignore' };

const EARLIEST_MS = Date.UTC(2000, 0, 1);

/** RFC 3339 in UTC. Go writes an absent time as the year 1: such a time, and one that is none, counts as absent. */
export function timeOr(text: string | null | undefined, otherwise: Date): string {
	const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN;
	const usable = milliseconds >= EARLIEST_MS && milliseconds < Date.UTC(9999, 0, 1);
	return (usable ? new Date(milliseconds) : otherwise).toISOString();
}
