// One valid signal and one link of its chain, for tests that need some and care about a few fields only.
import { linkName, type RequestLink } from '../../src/objects/request-link.ts';
import type { Signal } from '../../src/signal/signal.ts';

export const FINGERPRINT = 'c0ffee'.padEnd(64, '0');
/** The first link of the chain. */
export const FIRST = linkName(FINGERPRINT, undefined);

export const SIGNAL: Signal = {
	fingerprint: FINGERPRINT,
	name: 'KubePodCrashLooping',
	severity: 'critical',
	type: 'alert',
	source: 'alertmanager',
	target: { kind: 'Pod', name: 'p', namespace: 'shop' },
	firingTime: '2026-01-01T00:00:00Z',
	receivedTime: '2026-01-01T00:00:01Z',
	labels: { a: 'b' },
	annotations: { c: 'd' },
	payload: '{}',
};

/** Active, unless the fields say otherwise. */
export function sampleLink(fields: Partial<RequestLink> = {}): RequestLink {
	return {
		name: FIRST,
		uid: 'uid-1',
		resourceVersion: '10',
		fingerprint: FINGERPRINT,
		chain: 0,
		terminal: false,
		deleting: false,
		successor: undefined,
		count: 1,
		commits: {},
		resolved: false,
		...fields,
	};
}
