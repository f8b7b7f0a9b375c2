// Ends a stream that went silent. The limit may grow while the stream runs: opening it, listing and watching differ.
import { setPatientTimer } from '../process/patient-timer.ts';

export type IdleLimit = { /** Something arrived. */ reset(): void; cancel(): void };

export function startIdleLimit(limitMs: () => number, onSilence: (silentMs: number) => void): IdleLimit {
	let arrivedAt = performance.now();
	let cancel = setPatientTimer(check, limitMs());
	function check(): void {
		const silentMs = performance.now() - arrivedAt;
		if (silentMs >= limitMs()) onSilence(Math.round(silentMs));
		else cancel = setPatientTimer(check, limitMs() - silentMs);
	}
	return { reset: () => void (arrivedAt = performance.now()), cancel: () => cancel() };
}
