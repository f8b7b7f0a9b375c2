// One part of a body, parsed: a signal to ingest, a signal to resolve, nothing to act on, or nothing that can be
// understood.
import type { Signal } from './signal.ts';
import type { SignalRules } from './signal-rules.ts';

export type ParsedSignal =
	| {
			readonly action: 'ingest' | 'resolve';
			readonly signal: Signal;
			/** Of the alert in its batch, the same when the batch is repeated; absent when it is alone. */
			readonly identity?: string;
	  }
	/** `isElsewhere`: another cluster is meant. */
	| { readonly action: 'ignore'; readonly message: string; readonly isElsewhere?: boolean }
	| { readonly action: 'reject'; readonly message: string };

/** When a body was received, how resolved alerts are treated, and whether signals are stored as they came too. */
export type Reception = {
	readonly receivedTime: Date;
	readonly resolvedAlerts: 'mark' | 'ignore';
	readonly storePayload: boolean;
	readonly rules: SignalRules;
};

const MIN_TIME_MS = Date.UTC(2000, 0, 1);
const MAX_TIME_MS = Date.UTC(9999, 0, 1);

/** RFC 3339 in UTC. Go writes an absent time as the year 1: it counts as absent, as does text that is no time. */
export function timeOr(text: string | null | undefined, otherwise: Date): string {
	const milliseconds = typeof text === 'string' ? Date.parse(text) : Number.NaN;
	const usable = milliseconds >= MIN_TIME_MS && milliseconds < MAX_TIME_MS;
	return (usable ? new Date(milliseconds) : otherwise).toISOString();
}
