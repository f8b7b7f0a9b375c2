// Waiting for a fact. Not expect.poll, which does not work in concurrent tests.
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_TIMES } from './default-times.ts';

// It ends what hangs and measures nothing: a busy machine may stand still for seconds, and more than once.
const PATIENCE_MS = DEFAULT_TIMES ? 120_000 : 60_000;
// Many scenarios poll at once: more often would keep the processes from their work.
const POLL_MS = 100;

/** Reads until it is as it should be; fails with what is wrong about it. */
export async function eventually<T>(
	read: () => Promise<T>,
	check: (value: T) => void,
	patienceMs = PATIENCE_MS,
): Promise<T> {
	const givenUpAt = performance.now() + patienceMs;
	for (;;) {
		const startedAt = performance.now();
		const value = await read();
		try {
			check(value);
			return value;
		} catch (error) {
			// A look that began in time counts, however long it took.
			if (startedAt > givenUpAt) throw error;
		}
		await delay(POLL_MS);
	}
}
