// What would become of a signal, with the reason of each step. Nothing is written, no lock is taken, nothing is counted, and
// no place of a signal is taken.
import type { RequestCache } from '../objects/request-cache.ts';
import { isActive, linkName, totalOf } from '../objects/request-link.ts';
import { resolveStep } from '../objects/resolve-step.ts';
import { orAborted } from '../process/abort.ts';
import type { ExplainResult, ExplainSignal, Signal } from '../signal/signal.ts';
import { asResult, deferred } from './deferral.ts';
import type { TargetLookUp } from './targets/target-look-up.ts';

export type ExplainParts = {
	readonly lookUp: TargetLookUp;
	readonly cache: Pick<RequestCache, 'newest'>;
	readonly isListed: () => boolean;
	readonly namespace: string;
};

export function createExplainSignal({ lookUp, cache, isListed, namespace }: ExplainParts): ExplainSignal {
	return (signal, action, options) =>
		asResult(async () => {
			if (!isListed()) return deferred('starting', 'the requests are not listed yet');
			const looking = lookUp.start(signal, options.abort).finish();
			const { target, source, reasons } = await orAborted(looking, options.abort);
			const request = requestOf(signal, action, cache, namespace);
			return { outcome: 'explained', target, targetSource: source, lookUpReasons: reasons, ...request };
		});
}

function requestOf(
	{ fingerprint, alert }: Signal,
	action: 'ingest' | 'resolve',
	cache: ExplainParts['cache'],
	namespace: string,
): Pick<Extract<ExplainResult, { outcome: 'explained' }>, 'request' | 'requestReason'> {
	const known = cache.newest(fingerprint);
	if (known === undefined || !isActive(known)) {
		const request = { name: known?.successor ?? linkName(fingerprint, known?.uid), namespace };
		const before = known === undefined ? 'no request has this fingerprint' : `${known.name} has ended`;
		return action === 'ingest'
			? { request, requestReason: `${before}: it would be created` }
			: { requestReason: `${before}: there is nothing to resolve` };
	}
	const request = { name: known.name, namespace };
	if (action === 'ingest')
		return {
			request,
			requestReason: `${known.name} is active: it would be counted there as number ${totalOf(known) + 1}`,
		};
	if (alert?.endsAt === undefined) return { request, requestReason: 'only alerts are resolved' };
	const { step } = resolveStep(known, { ...alert, endsAt: alert.endsAt });
	return { request, requestReason: `${known.name} is active: ${RESOLVE_STEPS[step]}` };
}

const RESOLVE_STEPS = {
	write: 'the end would be recorded on it',
	resolved: 'it is marked as resolved',
	'others-fire': 'the end is recorded on it, and other alerts of it fire',
	outdated: 'this alert has begun again since, so that its end would be ignored',
	'not-followed': 'it has more alerts than it can follow, so that none resolves it',
} as const;
