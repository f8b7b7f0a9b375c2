// Time as a port, so that tests own it.
import { systemClock } from '@kubernaut/backoff';

/** `now` never goes back; `wallTime` is only written down, for people. */
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
