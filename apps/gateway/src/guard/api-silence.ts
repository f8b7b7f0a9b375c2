// Notices an API server that keeps its connections and answers nothing. Its sign is the time that calls have waited since
// the last answer to any of them, added up over calls: a call that was given up after a while counts with that while, one
// that was given up at once with next to nothing, and one slow call beside others that are answered is no silence.
// A stop of this process is not taken for one.
import type { KubeCall, KubeClient } from '../kube/kube.ts';
import { KubeError } from '../kube/kube.ts';
import type { Clock } from '../process/clock.ts';

export type ApiSilence = {
	/** To be used for the calls that tell of the API server's health. */
	readonly kube: KubeClient;
	onSilence(listener: () => void): void;
};

// A write that gets no answer is followed by a read, which an API server that is only slow with the write answers soon.
const LIMIT_IN_TIMEOUTS = 1.25;
/** A timer that is later than this was held up by our own process. */
const MAX_LATE_MS = 1000;

export function watchForSilence(
	kube: KubeClient,
	requestTimeoutMs: number,
	clock: Pick<Clock, 'now' | 'setTimer'>,
): ApiSilence {
	const limitMs = requestTimeoutMs * LIMIT_IN_TIMEOUTS;
	const listeners: (() => void)[] = [];
	let calls = 0;
	/** Up to `since`; from there on time counts while there are calls. */
	let waitedMs = 0;
	let since = 0;
	let timed = false;

	const waited = () => waitedMs + (calls > 0 ? clock.now() - since : 0);
	function restart(): void {
		waitedMs = 0;
		since = clock.now();
	}
	/** One timer at a time, which is set again for the rest: an answer costs no timer. */
	function setTimer(): void {
		timed = true;
		const delayMs = Math.max(0, limitMs - waited());
		const dueAt = clock.now() + delayMs;
		clock.setTimer(() => {
			timed = false;
			if (calls === 0) return;
			if (clock.now() - dueAt > MAX_LATE_MS) restart();
			if (waited() >= limitMs) {
				restart();
				for (const listener of listeners) listener();
			}
			setTimer();
		}, delayMs);
	}
	async function call<T>(kubeCall: KubeCall): Promise<T> {
		if (calls++ === 0) since = clock.now();
		if (!timed) setTimer();
		try {
			const value = await kube.call<T>(kubeCall);
			restart();
			return value;
		} catch (error) {
			if (error instanceof KubeError && error.status !== undefined) restart();
			throw error;
		} finally {
			if (--calls === 0) waitedMs += clock.now() - since;
		}
	}
	return { kube: { ...kube, call }, onSilence: (listener) => void listeners.push(listener) };
}
