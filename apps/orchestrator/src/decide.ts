// What is to be done about one request now, from its phase on. Pure, like routing.
import type { Decision, Finish, TargetView } from './decision.ts';
import { type Execution, holdsTarget, isOver } from './execution.ts';
import { isTold, toldSince } from './notification.ts';
import { type Block, isTerminal, type Remediation } from './remediation.ts';
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
	const removeAt = Date.parse(request.completedAt ?? request.createdAt) + config.retentionMs;
	if (view.now < removeAt) return { do: 'nothing', againAt: removeAt };
	// The oldest link goes first, and only when the chain can go on without it.
	const chain = view.requests.filter(({ fingerprint }) => fingerprint === request.fingerprint);
	const isOldest = chain.every((other) => other.chain >= request.chain);
	const goesOn = request.successor === undefined || chain.some(({ name }) => name === request.successor);
	return isOldest && goesOn && !isStillHeld(request, view) ? { do: 'remove' } : { do: 'nothing' };
}

function isStillHeld(request: Remediation, view: TargetView): boolean {
	return view.executions.some((execution) => execution.requestUid === request.uid && holdsTarget(execution));
}

function tellForAnother(request: Remediation, view: TargetView, otherwiseAt = Infinity): Decision {
	const at = toldSince(request) + TELL_FOR_ANOTHER_AFTER_MS;
	return view.now >= at ? { do: 'notify' } : { do: 'nothing', againAt: Math.min(at, otherwiseAt) };
}

function deadlineOf({ startTime, createdAt }: Remediation, { deadlineMs }: RoutingConfig): number {
	return Date.parse(startTime ?? createdAt) + deadlineMs;
}

function sameBlock(a: Block | undefined, b: Block): boolean {
	return (
		a !== undefined &&
		a.reason === b.reason &&
		a.until === b.until &&
		a.holder?.name === b.holder?.name &&
		a.duplicateOf?.uid === b.duplicateOf?.uid &&
		a.message === blockMessage(b)
	);
}
