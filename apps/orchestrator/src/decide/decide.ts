// What is to be done about one request now, from its phase on. Pure, like routing.

import { type Execution, endOf, holdsTarget, isOver } from '../objects/execution.ts';
import { type Block, isTerminal, type Remediation } from '../objects/remediation.ts';
import type { Decision, Finish, TargetView } from './decision.ts';
import { isTold, toldSince } from './notification.ts';
import { route } from './routing.ts';
import type { RoutingConfig } from './routing-config.ts';
import { blockMessage } from './status-patch.ts';

/** Whoever wrote the phase tells at once; the others only step in when it is still untold after this. */
export const TELL_FOR_ANOTHER_AFTER_MS = 5000;
/** The executor ends a run that takes too long; only when it does not, the request gives up. */
const EXECUTION_GRACE_MS = 300_000;

export function decide(request: Remediation, view: TargetView, config: RoutingConfig): Decision {
	if (request.deleting) return { do: 'nothing' };
	if (isTerminal(request)) return afterTheEnd(request, view, config);
	const execution = view.executions.find(({ uid }) => uid === request.executionRef?.uid);
	if (request.phase === 'Executing' && execution?.phase !== 'Skipped') return follow(request, execution, view, config);
	return waiting(request, view, config);
}

/** Executions that must not begin any more, because what they were made for is over. */
export function toWithdraw(view: TargetView): Execution[] {
	const finished = new Set(view.requests.filter(isTerminal).map(({ uid }) => uid));
	return view.executions.filter(
		(execution) => !isOver(execution) && !execution.hasRun && !execution.deleting && finished.has(execution.requestUid),
	);
}

function follow(
	request: Remediation,
	execution: Execution | undefined,
	view: TargetView,
	config: RoutingConfig,
): Decision {
	if (execution === undefined) return { do: 'look' };
	if (execution.phase === 'Completed')
		return {
			do: 'finish',
			phase: 'Completed',
			outcome: 'Remediated',
			message: `${execution.name} ran ${execution.workflowName} on ${view.target} with success`,
			after: execution,
		};
	if (execution.phase === 'Failed')
		return {
			do: 'finish',
			phase: 'Failed',
			outcome: 'RemediationFailed',
			message: failureInWords(execution),
			after: execution,
		};
	const endsAt = Math.max(
		deadlineOf(request, config),
		Date.parse(execution.createdAt) + execution.timeoutMs + EXECUTION_GRACE_MS,
	);
	if (view.now < endsAt) return { do: 'nothing', againAt: endsAt };
	return {
		do: 'finish',
		phase: 'TimedOut',
		outcome: 'TimedOut',
		message: `${execution.name} did not end in time`,
		after: execution,
	};
}

function failureInWords({ name, workflowName, failure }: Execution): string {
	const why = failure?.summary ?? failure?.message ?? 'it gave no reason';
	return `${name} ran ${workflowName} and failed (${failure?.reason ?? 'Unknown'}): ${why}`;
}

function waiting(request: Remediation, view: TargetView, config: RoutingConfig): Decision {
	const ours = view.executions.find(({ requestUid, phase }) => requestUid === request.uid && phase !== 'Skipped');
	if (ours !== undefined) return { do: 'adopt', execution: ours };
	if (config.cancelResolved && request.resolvedAt !== undefined)
		return {
			do: 'finish',
			phase: 'Cancelled',
			outcome: 'Resolved',
			message: `the source said at ${request.resolvedAt} that it is over, and nothing had begun`,
		};
	const word = view.approvalOf(request.uid);
	if (word?.decision === 'Rejected')
		return { do: 'finish', phase: 'Cancelled', outcome: 'Rejected', message: `rejected by a person: ${word.reason}` };
	const inherited = inherit(request, view);
	if (inherited !== undefined) return inherited;
	const deadline = deadlineOf(request, config);
	if (view.now >= deadline)
		return {
			do: 'finish',
			phase: 'TimedOut',
			outcome: 'TimedOut',
			message: `nothing could be done in time; last: ${request.block === undefined ? 'not looked at' : `${request.block.reason}, ${request.block.message}`}`,
		};
	const decision = route(request, view, config);
	if (decision.do !== 'block' || !sameBlock(request.block, decision.block)) return decision;
	if (!isTold(request)) return tellForAnother(request, view, deadline);
	const until = decision.block.until === undefined ? deadline : Date.parse(decision.block.until);
	return { do: 'nothing', againAt: Math.min(until, deadline) };
}

/** A duplicate ends as the one that it waited for did, unless that one ended for a reason of its own. */
function inherit(request: Remediation, view: TargetView): Finish | undefined {
	if (request.block?.reason !== 'DuplicateInProgress') return undefined;
	const original = view.requests.find(({ uid }) => uid === request.block?.duplicateOf?.uid);
	if (original === undefined || !isTerminal(original)) return undefined;
	const { phase, outcome = 'Unknown', name } = original;
	if (phase === 'Cancelled' && outcome !== 'Rejected') return undefined;
	const message = `as ${name}, which stood for the same target and workflow: ${original.failureReason ?? outcome}`;
	const ended = phase === 'Completed' ? 'Skipped' : phase;
	if (ended === 'Skipped' || ended === 'Failed' || ended === 'TimedOut' || ended === 'Cancelled')
		return { do: 'finish', phase: ended, outcome, message, inheritedFrom: original };
	return undefined;
}

function afterTheEnd(request: Remediation, view: TargetView, config: RoutingConfig): Decision {
	if (!isTold(request)) return tellForAnother(request, view);
	const executions = view.executions.filter(({ requestUid }) => requestUid === request.uid);
	const removeAt = Math.max(
		Date.parse(request.completedAt ?? request.createdAt) + config.retentionMs,
		...executions.map((execution) => rememberedUntil(execution, config)),
	);
	if (view.now < removeAt) return { do: 'nothing', againAt: removeAt };
	// The oldest link goes first, and only when the chain can go on without it.
	const chain = view.requests.filter(({ fingerprint }) => fingerprint === request.fingerprint);
	const isOldest = chain.every((other) => other.chain >= request.chain);
	const goesOn = request.successor === undefined || chain.some(({ name }) => name === request.successor);
	const areFree = executions.every((execution) => !holdsTarget(execution) && mayGo(execution, view));
	return isOldest && goesOn && areFree ? { do: 'remove' } : { do: 'nothing' };
}

/** An execution goes with its request, and with it what cooldown and failures are judged from. */
function rememberedUntil(execution: Execution, config: RoutingConfig): number {
	if (!isOver(execution) || execution.phase === 'Skipped') return 0;
	return endOf(execution) + Math.max(execution.cooldownMs ?? config.cooldownMs, config.failureWindowMs);
}

/** Not the newest link while it announces one that nobody made yet: whoever makes that starts from it. */
function mayGo(execution: Execution, { executions }: TargetView): boolean {
	return execution.successor === undefined || executions.some(({ chain }) => chain > execution.chain);
}

function tellForAnother(request: Remediation, view: TargetView, otherwiseAt = Infinity): Decision {
	const at = toldSince(request) + TELL_FOR_ANOTHER_AFTER_MS;
	return view.now >= at ? { do: 'notify' } : { do: 'nothing', againAt: Math.min(at, otherwiseAt) };
}

function deadlineOf({ startTime, createdAt }: Remediation, { deadlineMs }: RoutingConfig): number {
	return Date.parse(startTime ?? createdAt) + deadlineMs;
}

/**
 * Replicas may differ for a while in words, clocks or settings, and must not write against each other: of two waits
 * for the same reason the longer stands, and words count only where nothing else says what it waits for.
 */
function sameBlock(a: Block | undefined, b: Block): boolean {
	if (a === undefined || a.holder?.name !== b.holder?.name || a.duplicateOf?.uid !== b.duplicateOf?.uid) return false;
	const namesIt = b.holder !== undefined || b.duplicateOf !== undefined;
	if (namesIt && a.until !== undefined && b.until !== undefined) return Date.parse(a.until) >= Date.parse(b.until);
	return a.reason === b.reason && a.until === b.until && (namesIt || a.message === blockMessage(b));
}
