// Blocks that stand although routing would say something else now, so that nothing is written for them.
import type { Remediation } from '../objects/remediation.ts';
import type { Decision } from './decision.ts';

/**
 * Until when the block that the request has is kept, as a time in ms; undefined when the decision counts.
 * A pause is a fact of the namespace: a request that is blocked already keeps its block, whatever it is. And a create that
 * the API server did not take is not tried again before the wait is over that is written into the request, by no replica.
 */
export function blockKeptUntil(request: Remediation, decision: Decision, now: number): number | undefined {
	const { block } = request;
	if (block === undefined) return undefined;
	if (decision.do === 'block' && decision.block.reason === 'Paused') return Infinity;
	if (decision.do !== 'execute' || block.until === undefined) return undefined;
	const until = Date.parse(block.until);
	const isWait = block.reason === 'ConfigurationError' || block.reason === 'Paused';
	return isWait && until > now ? until : undefined;
}
