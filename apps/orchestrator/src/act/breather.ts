// Lets the event loop breathe: work that computes for long gives way to whatever waits (answers of the API server, the
// renewal of Leases, health checks). Shared by all targets of a process, and only one of them goes on in each round of
// the loop: sixteen that each compute for a moment would be one long pause.
import { setImmediate } from 'node:timers';

/** Undefined, and nothing to wait for, as long as the work has not taken long. */
export type Breathe = () => Promise<void> | undefined;

const MAX_BUSY_MS = 10;

/** `now` is monotonic. */
export function createBreather(now: () => number, maxBusyMs = MAX_BUSY_MS): Breathe {
	let since = now();
	let line = Promise.resolve();
	const nextRound = () =>
		new Promise<void>((resolve) => {
			setImmediate(() => {
				since = now();
				resolve();
			});
		});
	return () => {
		if (now() - since < maxBusyMs) return undefined;
		line = line.then(nextRound);
		return line;
	};
}
