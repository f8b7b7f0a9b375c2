export type CancelTimer = () => void;

/** Time as a port, so that tests never sleep. */
export interface Clock {
	/** Calls `onElapsed` once after `delayMs`, which may be any finite number from 0 up. */
	setTimer(onElapsed: () => void, delayMs: number): CancelTimer;
}
