// Waiting for a fact, with what is wrong about it when it does not come.
import { setTimeout as delay } from 'node:timers/promises';
import { TIMEOUTS } from './timeouts.ts';

/** Reads until the check passes; a read that fails counts as a check that fails. */
export async function eventually<T>(
	read: () => Promise<T>,
	check: (value: T) => void,
	patienceMs: number = TIMEOUTS.eventuallyMs,
): Promise<T> {
	const givenUpAt = performance.now() + patienceMs;
	for (;;) {
		const startedAt = performance.now();
		try {
			const value = await read();
			check(value);
			return value;
		} catch (error) {
			if (startedAt > givenUpAt) throw error;
		}
		await delay(TIMEOUTS.lookMs);
	}
}
