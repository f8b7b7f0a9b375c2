// When a receiver may be sent to. Its turn is held while a message is sent and freed at the end; the pause counts from the
// moment that we saw it freed, by our own monotonic clock. Counted from the taking, a slow send would eat the pause.

export type PaceView = {
	readonly held: boolean;
	/** How long it was seen unchanged. */
	readonly unchangedForMs: number;
	/** The pause that its last holder asked for, because the receiver did (429). */
	readonly restMs: number;
};
export type PaceRules = {
	readonly intervalMs: number;
	/** A holder that did not free it for so long is gone. */
	readonly holdMs: number;
};

/** 0: it may be taken. */
export function paceWaitMs({ held, unchangedForMs, restMs }: PaceView, { intervalMs, holdMs }: PaceRules): number {
	const neededMs = held ? holdMs : Math.max(intervalMs, restMs);
	return Math.max(0, neededMs - unchangedForMs);
}
