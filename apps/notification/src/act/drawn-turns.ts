// Turns without presence: with locking off no replica writes a Lease, so none knows the others. Each waits for a time that
// is drawn from pod and message; the first one claims, and the others see it.
import { createHash } from 'node:crypto';

export type Turns = {
	waitMs(name: string): number;
	active(pod: string): void;
	actedInsteadOfOthers(name: string): void;
};

export function drawnTurns(podName: string, maxMs: number): Turns {
	return {
		waitMs(name) {
			const drawn = createHash('sha256').update(`${podName} ${name}`).digest().readUInt32BE(0);
			return Math.floor((drawn / 2 ** 32) * maxMs);
		},
		active() {},
		actedInsteadOfOthers() {},
	};
}
