// Time as a port, so that tests own it.
import { systemClock } from '@kubernaut/backoff';

/**
 * `now` never goes back, and means nothing to another process. `wallTime` is for what is stored: of a clock whose wall time
 * is the API server's (kube/server-clock.ts) it may be compared with stored times, of any other it is for people only.
 */
export type Clock = {
	now(): number;
	wallTime(): Date;
	setTimer(onElapsed: () => void, delayMs: number): () => void;
};

/** The clock of a real process. */
export const SYSTEM_CLOCK: Clock = {
	now: () => performance.now(),
	wallTime: () => new Date(),
	setTimer: systemClock.setTimer,
};
