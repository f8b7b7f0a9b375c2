// Decides about one request, from its phase on. Pure, like routing.

import { type Execution, endOf, holdsTarget, isOver } from '../objects/execution.ts';
import { type Block, isTerminal, type Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import { describeApprover, rejectionOf, toAnswer } from './approval.ts';
import type { Decision, End, FreeDecision } from './decision.ts';
import { endWithOriginal, waitersFor } from './duplicates.ts';
import { blockKeptUntil } from './kept-block.ts';
import { isNotified, notifiableSince } from './notification.ts';
import { route } from './routing.ts';
import type { RoutingConfig } from './routing-config.ts';
import { blockMessage } from './status-patch.ts';

/** The replica that wrote the phase notifies at once; the others step in only when that has not happened after this. */
export const NOTIFY_FOR_ANOTHER_AFTER_MS = 5000;
/** The executor ends a run that takes too long; the request gives up only when the executor does not. */
const EXECUTION_GRACE_MS = 300_000;
/**
 * A crowd of requests that came together times out together: in this last part of its deadline, a duplicate whose original
 * timed out runs if it can, and asks, waits for and reports nothing new.
 */
const LAST_PART_OF_DEADLINE = 0.1;

export function decide(request: Remediation, view: TargetView, config: RoutingConfig): Decision {
	if (request.deleting) return { do: 'nothing' };
	if (isTerminal(request)) return afterTheEnd(request, view, config);
	const execution = view.executions.find(({ uid }) => uid === request.executionRef?.uid);
	if (request.phase === 'Executing' && execution?.phase !== 'Skipped') return follow(request, execution, view, config);
	return waiting(request, view, config);
}

function follow(
	request: Remediation,
	execution: Execution | undefined,
	view: TargetView,
	config: RoutingConfig,
): FreeDecision {
	if (execution === undefined) return { do: 'verifyExecution' };
	if (execution.phase === 'Completed')
		return {
			do: 'finishExecuted',
			phase: 'Completed',
			outcome: 'Remediated',
			message: `${execution.name} ran ${execution.workflowName} on ${view.target} and succeeded`,
		};
	if (execution.phase === 'Failed')
		return {
			do: 'finishExecuted',
			phase: 'Failed',
			outcome: 'RemediationFailed',
			message: describeFailure(execution),
		};
	const endsAt = Math.max(
		deadlineOf(request, config),
		Date.parse(execution.createdAt) + execution.timeoutMs + EXECUTION_GRACE_MS,
	);
	if (view.now < endsAt) return { do: 'nothing', requeueAt: endsAt };
	return {
		do: 'finishExecuted',
		phase: 'TimedOut',
		outcome: 'TimedOut',
		message: `${execution.name} did not end in time`,
	};
}

function describeFailure({ name, workflowName, failure }: Execution): string {
	const { reason = 'Unknown', why = 'no reason given' } = failure ?? {};
	return `${name} ran ${workflowName} and failed (${reason}): ${why}`;
}

function waiting(request: Remediation, view: TargetView, config: RoutingConfig): Decision {
	const ours = view.executions.find(({ requestUid, phase }) => requestUid === request.uid && phase !== 'Skipped');
	if (ours !== undefined) return { do: 'adopt', execution: ours };
	if (config.cancelResolved && request.resolvedAt !== undefined)
		return {
			do: 'finish',
			phase: 'Cancelled',
			outcome: 'Resolved',
			message: `the signal was resolved at ${request.resolvedAt}, before anything ran`,
		};
	const rejection = rejected(request, view, config);
	if (rejection !== undefined) return { do: 'finish', ...rejection };
	const withOriginal = endWithOriginal(request, view);
	if (withOriginal !== undefined) return { do: 'finish', ...withOriginal };
	const deadline = deadlineOf(request, config);
	if (view.now >= deadline) return { do: 'finish', ...timedOut(request, view) };
	const decision = route(request, view, config);
	const kept = blockKeptUntil(request, decision, view.now);
	if (kept === undefined && decision.do !== 'block') return decision;
	const until = kept ?? untilOf(decision);
	const requeueAt = Math.min(until, deadline);
	const isLate = deadline - view.now < LAST_PART_OF_DEADLINE * config.deadlineMs;
	if (isLate && outlivedItsOriginal(request, view)) return { do: 'nothing', requeueAt };
	if (kept === undefined && decision.do === 'block' && !sameBlock(request.block, decision.block)) return decision;
	if (!isNotified(request, view.requests)) return notifyForAnother(request, view, deadline);
	return { do: 'nothing', requeueAt };
}

function untilOf(decision: Decision): number {
	return decision.do === 'block' && decision.block.until !== undefined ? Date.parse(decision.block.until) : Infinity;
}

function rejected(request: Remediation, view: TargetView, config: RoutingConfig): End | undefined {
	const rejection = rejectionOf(request, view);
	if (rejection === undefined) return undefined;
	const answer = toAnswer(rejection, config);
	const others = rejection.digest === undefined ? [] : waitersFor(request, rejection.digest, view);
	const message = `rejected by ${describeApprover(answer)}: ${rejection.reason}`;
	return {
		phase: 'Cancelled',
		outcome: 'Rejected',
		message:
			others.length === 0
				? message
				: `${message}; requests that wait for the same answer and are cancelled with it: ${others.length}`,
		answer,
	};
}

/** Nothing is reported twice: of a duplicate its original is, unless that was cancelled, and of failures the last was. */
function timedOut({ block }: Remediation, { requests, pausedBecause }: TargetView): End {
	const original = requests.find(({ uid }) => uid === block?.duplicateOf?.uid);
	const lastBlock = block === undefined ? 'it was never blocked' : `last block: ${block.reason}, ${block.message}`;
	return {
		phase: 'TimedOut',
		outcome: 'TimedOut',
		message: `the deadline passed before anything could run; ${lastBlock}${pausedBecause === undefined ? '' : `; ${pausedBecause}`}`,
		...(original === undefined || original.phase === 'Cancelled'
			? {}
			: { duplicateOf: { name: original.name, uid: original.uid } }),
		...(block?.reason === 'ConsecutiveFailures' && block.holder !== undefined
			? { blockingExecution: block.holder }
			: {}),
	};
}

function outlivedItsOriginal({ block }: Remediation, { requests }: TargetView): boolean {
	if (block?.reason !== 'DuplicateInProgress') return false;
	return requests.find(({ uid }) => uid === block.duplicateOf?.uid)?.phase === 'TimedOut';
}

function afterTheEnd(request: Remediation, view: TargetView, config: RoutingConfig): FreeDecision {
	if (!isNotified(request, view.requests)) return notifyForAnother(request, view);
	const executions = view.executions.filter(({ requestUid }) => requestUid === request.uid);
	const removeAt = Math.max(
		Date.parse(request.completedAt ?? request.createdAt) + config.retentionMs,
		...executions.map((execution) => neededUntil(execution, config)),
	);
	if (view.now < removeAt) return { do: 'nothing', requeueAt: removeAt };
	// The oldest link goes first, and only when the chain can go on without it.
	const chain = view.requests.filter(({ fingerprint }) => fingerprint === request.fingerprint);
	const isOldest = chain.every((other) => other.chain >= request.chain);
	const goesOn = request.successor === undefined || chain.some(({ name }) => name === request.successor);
	const areFree = executions.every((execution) => !holdsTarget(execution) && mayGo(execution, view));
	return isOldest && goesOn && areFree ? { do: 'remove' } : { do: 'nothing' };
}

/** An execution is deleted with its request, and with it what cooldown and failures are judged from. */
function neededUntil(execution: Execution, config: RoutingConfig): number {
	if (!isOver(execution) || execution.phase === 'Skipped') return 0;
	return endOf(execution) + Math.max(execution.cooldownMs ?? 0, config.cooldownMs, config.failureWindowMs);
}

/** Not the newest link while it announces one that was not made yet: the making of that one starts from it. */
function mayGo(execution: Execution, { executions }: TargetView): boolean {
	return execution.successor === undefined || executions.some(({ chain }) => chain > execution.chain);
}

function notifyForAnother(request: Remediation, view: TargetView, otherwiseAt = Infinity): FreeDecision {
	const at = notifiableSince(request) + NOTIFY_FOR_ANOTHER_AFTER_MS;
	return view.now >= at ? { do: 'notify' } : { do: 'nothing', requeueAt: Math.min(at, otherwiseAt) };
}

function deadlineOf({ startTime, createdAt }: Remediation, { deadlineMs }: RoutingConfig): number {
	return Date.parse(startTime ?? createdAt) + deadlineMs;
}

/**
 * Replicas may differ for a while in messages, clocks or settings, and must not overwrite each other: of two blocks
 * with the same holder the longer stands, and the message counts only where nothing else says what is waited for.
 */
function sameBlock(a: Block | undefined, b: Block): boolean {
	if (a === undefined || a.holder?.name !== b.holder?.name || a.duplicateOf?.uid !== b.duplicateOf?.uid) return false;
	if (b.digest !== undefined && a.digest !== b.digest) return false;
	const namesIt = b.holder !== undefined || b.duplicateOf !== undefined;
	if (namesIt && a.until !== undefined && b.until !== undefined) return Date.parse(a.until) >= Date.parse(b.until);
	return a.reason === b.reason && a.until === b.until && (namesIt || a.message === blockMessage(b));
}
