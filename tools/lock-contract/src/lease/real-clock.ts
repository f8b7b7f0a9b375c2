import type { ContractClock } from './lock-modules.ts';

export const REAL_CLOCK: ContractClock = {
	now: () => performance.now(),
	wallTime: () => new Date(),
	setTimer(onElapsed, delayMs) {
		const timer = setTimeout(onElapsed, delayMs);
		return () => clearTimeout(timer);
	},
};
