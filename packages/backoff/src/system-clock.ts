import type { Clock } from './clock.ts';

// Node turns a longer timeout into 1 ms, with no more than a process warning.
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
	setTimer(onElapsed, delayMs) {
		let remainingMs = delayMs;
		let timeout: NodeJS.Timeout;
		const armNextStretch = () => {
			const stretchMs = Math.min(remainingMs, MAX_TIMEOUT_MS);
			remainingMs -= stretchMs;
			timeout = setTimeout(remainingMs > 0 ? armNextStretch : onElapsed, stretchMs);
		};
		armNextStretch();
		return () => clearTimeout(timeout);
	},
};
