// The clock of a real process.
import { systemClock } from '@kubernaut/backoff';
import type { LockClock } from './lock-ports.ts';

export const SYSTEM_LOCK_CLOCK: LockClock = {
	now: () => performance.now(),
	wallTime: () => new Date(),
	setTimer: systemClock.setTimer,
};
