// Decides about one request, from its phase on. Pure, like routing.

import { type Execution, endOf, holdsTarget, isOver } from '../objects/execution.ts';
import { type Block, isTerminal, isTerminalPhase, type Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import { type Decision, type End, type FreeDecision, OUTCOMES, type Outcome } from './decision.ts';
import { blockKeptUntil } from './kept-block.ts';
import { isNotified, notifiableSince } from './notification.ts';
import { route } from './routing.ts';
import type { RoutingConfig } from './routing-config.ts';
import { blockMessage } from './status-patch.ts';

/** The replica that wrote the phase notifies at once; the others step in only when that has not happened after this. */
export const NOTIFY_FOR_ANOTHER_AFTER_MS = 5000;
/** The executor ends a run that takes too long; the request gives up only when the executor does not. */
const EXECUTION_GRACE_MS = 300_000;

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
	const approval = view.approvalOf(request.uid);
	if (approval?.decision === 'Rejected')
		return { do: 'finish', phase: 'Cancelled', outcome: 'Rejected', message: `rejected: ${approval.reason}` };
	const inherited = inherit(request, view);
	if (inherited !== undefined) return { do: 'finish', ...inherited };
	const deadline = deadlineOf(request, config);
	if (view.now >= deadline)
		return {
			do: 'finish',
			phase: 'TimedOut',
			outcome: 'TimedOut',
			message: `the deadline passed before anything could run; ${request.block === undefined ? 'it was never blocked' : `last block: ${request.block.reason}, ${request.block.message}`}${view.pausedBecause === undefined ? '' : `; ${view.pausedBecause}`}`,
		};
	const decision = route(request, view, config);
	let keptUntil = blockKeptUntil(request, decision, view.now);
	if (keptUntil === undefined) {
		if (decision.do !== 'block' || !sameBlock(request.block, decision.block)) return decision;
		keptUntil = decision.block.until === undefined ? Infinity : Date.parse(decision.block.until);
	}
	if (!isNotified(request)) return notifyForAnother(request, view, deadline);
	return { do: 'nothing', requeueAt: Math.min(keptUntil, deadline) };
}

/** A duplicate ends as its original did, unless that one ended for a reason of its own. */
function inherit(request: Remediation, view: TargetView): End | undefined {
	if (request.block?.reason !== 'DuplicateInProgress') return undefined;
	const original = view.requests.find(({ uid }) => uid === request.block?.duplicateOf?.uid);
	if (original?.phase === undefined || !isTerminalPhase(original.phase)) return undefined;
	const { phase, name, failureReason } = original;
	const outcome = isOutcome(original.outcome) ? original.outcome : 'Unknown';
	if (phase === 'Cancelled' && outcome !== 'Rejected') return undefined;
	const message =
		outcome === 'Remediated'
			? `remediated by ${name}`
			: `same end as ${name}, its original: ${failureReason ?? OUTCOMES[outcome]}`;
	return { phase: phase === 'Completed' ? 'Skipped' : phase, outcome, message, inheritedFrom: original };
}

function isOutcome(outcome: string | undefined): outcome is Outcome {
	return outcome !== undefined && Object.hasOwn(OUTCOMES, outcome);
}

function afterTheEnd(request: Remediation, view: TargetView, config: RoutingConfig): FreeDecision {
	if (!isNotified(request)) return notifyForAnother(request, view);
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
	const namesIt = b.holder !== undefined || b.duplicateOf !== undefined;
	if (namesIt && a.until !== undefined && b.until !== undefined) return Date.parse(a.until) >= Date.parse(b.until);
	return a.reason === b.reason && a.until === b.until && (namesIt || a.message === blockMessage(b));
}
