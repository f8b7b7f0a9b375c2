// Delay of the event loop, as the mean over the last window.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '@kubernaut/backoff';

export type EventLoopDelay = { readonly meanMs: () => number; stop(): void };
/** `mean` is in nanoseconds, from tick to tick, and NaN without a tick. */
export type TickHistogram = { readonly mean: number; enable(): unknown; reset(): void; disable(): unknown };

const RESOLUTION_MS = 10;
const WINDOW_MS = 500;

export function followEventLoopDelay(
	clock: Clock,
	histogram: TickHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS }),
): EventLoopDelay {
	let meanMs = 0;
	let cancelNext = clock.setTimer(sample, WINDOW_MS);
	histogram.enable();
	function sample(): void {
		// A loop that is on time shows the resolution itself.
		meanMs = Number.isNaN(histogram.mean) ? 0 : Math.max(0, histogram.mean / 1e6 - RESOLUTION_MS);
		histogram.reset();
		cancelNext = clock.setTimer(sample, WINDOW_MS);
	}
	return {
		meanMs: () => meanMs,
		stop() {
			cancelNext();
			histogram.disable();
		},
	};
}
