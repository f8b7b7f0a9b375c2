// How fast one process writes to one request that many processes write to. The API server merges their writes by trying
// again inside: the more it has at once, the longer each takes. Measured on two cores without a pause: 10 processes have a
// p99 of 0.7 s, 30 have 6.9 s; with it 0.4 s and 1.7 s. Signals that come during the pause are written together.
import { type Clock, sleep } from '@kubernaut/backoff';

/** A few do not hinder each other. */
const UNPACED_SLOTS = 3;
/** Twice the time that the last write took, so that a third of the processes write at any moment. */
const PAUSE_PER_WRITE = 2;
const MAX_PAUSE_MS = 1000;

export type PacePorts = {
	/** Monotonic. */
	readonly clock: Clock & { now(): number };
	/** From 0 up to 1, as Math.random gives it: processes that began together drift apart. */
	readonly random: () => number;
};

export function paceWrites({ clock, random }: PacePorts): () => (slots: number) => Promise<void> {
	return () => {
		const startedAt = clock.now();
		return async (slots) => {
			if (slots <= UNPACED_SLOTS) return;
			const pauseMs = (clock.now() - startedAt) * PAUSE_PER_WRITE * (0.5 + random());
			await sleep(Math.min(pauseMs, MAX_PAUSE_MS), { clock });
		};
	};
}
