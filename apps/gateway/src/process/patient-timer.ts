// Timers for time limits. A process that stood still (SIGSTOP, a suspended machine, a stalled event loop) wakes up with
// its timers due and the answers unread: what has arrived meanwhile must count before the limit does. So an elapsed timer
// gives the event loop some turns to read, and decides then; on a process that is on time they take less than a millisecond.
// A timer that is late gives time, because many answers have to be read at once.

// A turn reads what the sockets hold; the rest are for answers that take several steps (TLS, headers, then the body).
const TURNS = 4;
const LATE_MS = 100;
const TIME_TO_READ_MS = 500;

/** Returns the function that cancels it. */
export function setPatientTimer(onElapsed: () => void, delayMs: number): () => void {
	const dueAt = performance.now() + delayMs;
	let immediate: NodeJS.Immediate | undefined;
	const giveTurns = (turns: number) => {
		immediate = setImmediate(() => (turns > 1 ? giveTurns(turns - 1) : onElapsed()));
	};
	let timer = setTimeout(() => {
		if (performance.now() - dueAt <= LATE_MS) giveTurns(TURNS);
		else timer = setTimeout(() => giveTurns(TURNS), TIME_TO_READ_MS);
	}, delayMs);
	return () => {
		clearTimeout(timer);
		clearImmediate(immediate);
	};
}
