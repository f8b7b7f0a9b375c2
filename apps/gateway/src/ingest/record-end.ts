// An alert that ended is recorded on the request of its incident. The writer whose answer shows that no alert of it fires
// any more marks the request as resolved; so does a report that is repeated, when the first writer did not come to it.
import type { EndedAlert } from '../objects/alert-entries.ts';
import type { RequestCache } from '../objects/request-cache.ts';
import { isActive, linkName, type RequestLink } from '../objects/request-link.ts';
import type { RequestStore } from '../objects/request-store.ts';
import { resolveStep } from '../objects/resolve-step.ts';
import type { RequestRef, ResolveResult, Signal } from '../signal/signal.ts';
import { deferred } from './deferral.ts';

export type RecordEndPorts = {
	readonly store: Pick<RequestStore, 'get' | 'recordEnd'>;
	readonly cache: Pick<RequestCache, 'newest' | 'changed' | 'removed'>;
	readonly refTo: (link: RequestLink) => RequestRef;
};

// Alerts that begin or end at the same time refuse each other's mark; each refusal is another alert's progress.
const MAX_ROUNDS = 20;

export async function recordEnd(
	{ fingerprint, alert, receivedTime }: Signal,
	{ store, cache, refTo }: RecordEndPorts,
): Promise<ResolveResult> {
	if (alert === undefined) throw new Error('only alerts end');
	const ended: EndedAlert = { ...alert, endsAt: alert.endsAt ?? receivedTime };
	for (let round = 0; round < MAX_ROUNDS; round++) {
		const known = cache.newest(fingerprint);
		if (known === undefined || !isActive(known)) {
			// The cache may be behind another replica's create, and a resolved alert is not sent a second time.
			const next = await store.get(known?.successor ?? linkName(fingerprint, known?.uid));
			if (next === undefined) return { outcome: 'resolved', answered: true };
			cache.changed(next);
			continue;
		}
		const step = resolveStep(known, ended);
		if (step.step !== 'write') return { ...resultOf(step, refTo(known)), ...(round > 0 && { answered: true }) };
		const written = await store.recordEnd(known, step.patch);
		const current = written === 'changed' ? await store.get(known.name) : written;
		if (current === undefined || current === 'gone') cache.removed(known);
		else cache.changed(current);
	}
	const message = `the request of ${fingerprint} keeps changing while the end of an alert is recorded`;
	return deferred('contention', message);
}

function resultOf(
	step: Exclude<ReturnType<typeof resolveStep>, { step: 'write' }>,
	request: RequestRef,
): ResolveResult {
	switch (step.step) {
		case 'resolved':
			return { outcome: 'resolved', request };
		case 'others-fire':
			return { outcome: 'others-fire', request, firing: step.firing };
		case 'outdated':
			return { outcome: 'outdated', request, firingAgainSince: step.firingAgainSince };
		case 'not-followed':
			return { outcome: 'not-followed', request };
	}
}
