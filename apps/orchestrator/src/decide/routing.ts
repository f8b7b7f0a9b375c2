// Whether a request that has nothing running may have its workflow run, and if not why not: the checks in their order.
// Pure: the same view, in whatever order, gives the same decision in every replica. A view may be old; what must be
// certain (nothing else holds the target, nothing of ours ran already) is settled by the create of the chained name.

import { REMEDIATION_REQUEST_LIMITS } from '../generated/remediation-request.ts';
import { type Execution, endOf, isOver, newestOf } from '../objects/execution.ts';
import { type Block, type BlockReason, compareAge, isActive, type Remediation } from '../objects/remediation.ts';
import { parseSpecDuration } from '../objects/spec-duration.ts';
import type { TargetView } from '../objects/target-view.ts';
import type { Workflow } from '../objects/workflow.ts';
import type { LockedDecision } from './decision.ts';
import { fillParameters } from './parameter-template.ts';
import { failureBackoff, type RoutingConfig, skippedBackoff } from './routing-config.ts';
import { selectWorkflow } from './workflow-match.ts';
import { describeUnused } from './workflow-readiness.ts';

type Check = (
	request: Remediation,
	workflow: Workflow,
	view: TargetView,
	config: RoutingConfig,
) => LockedDecision | undefined;

// The executor's name of a holder may be longer than a request can store.
const MAX_HOLDER_LENGTH = REMEDIATION_REQUEST_LIMITS['status.blockingWorkflowExecution.name'].maxLength;

/** The first that returns a decision decides. */
const CHECKS: readonly Check[] = [
	consecutiveFailures,
	duplicateInProgress,
	resourceBusy,
	remediatedByAnother,
	recentlyRemediated,
	exponentialBackoff,
];

export function route(request: Remediation, view: TargetView, config: RoutingConfig): LockedDecision {
	const incomplete = [request, ...view.requests].find((one) => isActive(one) && !one.hasTexts);
	if (incomplete !== undefined) throw new Error(`the labels and annotations of ${incomplete.name} were not read`);
	const paused = view.pausedBecause;
	if (paused !== undefined) return { do: 'block', block: { reason: 'Paused', message: paused } };
	const workflow = selectWorkflow(view.workflows, request);
	if (workflow === undefined)
		return {
			do: 'block',
			block: {
				reason: 'NoWorkflow',
				message: `no RemediationWorkflow matches the signal ${request.signal.name} (severity ${request.signal.severity}) on ${request.target}${describeUnused(view.workflows)}`,
			},
		};
	for (const check of CHECKS) {
		const decision = check(request, workflow, view, config);
		if (decision !== undefined) return decision;
	}
	const filled = fillParameters(workflow, request);
	if ('problem' in filled)
		return {
			do: 'block',
			block: { reason: 'ConfigurationError', message: `RemediationWorkflow ${workflow.name}, ${filled.problem}` },
		};
	const { parameters } = filled;
	if (workflow.spec.mode === 'DryRun') return dryRun(workflow, view, parameters);
	const approved = workflow.spec.mode !== 'Approval' || view.approvalOf(request.uid)?.decision === 'Approved';
	return approved ? { do: 'execute', workflow, parameters } : awaitingApproval(request, workflow, view);
}

function consecutiveFailures(_request: Remediation, _workflow: Workflow, view: TargetView, config: RoutingConfig) {
	const failures = failuresInARow(view.executions).slice(0, config.consecutiveFailures);
	const [last] = failures;
	const first = failures.at(-1);
	if (last === undefined || first === undefined || failures.length < config.consecutiveFailures) return undefined;
	if (endOf(last) - endOf(first) > config.failureWindowMs) return undefined;
	const until = endOf(last) + config.failureWindowMs;
	if (until <= view.now) return undefined;
	return blocked(
		'ConsecutiveFailures',
		`${failures.length} runs on ${view.target} failed in a row, the last one is ${last.name}`,
		{
			until: iso(until),
			holder: { name: last.name, uid: last.uid },
		},
	);
}

/**
 * One request is executed for all of them: the one that is executing, else the oldest. There is no circle, because a
 * duplicate waits for one that is executing or for an older one.
 */
function duplicateInProgress(request: Remediation, workflow: Workflow, view: TargetView) {
	const same = view.requests
		.filter((other) => other.uid !== request.uid && isActive(other))
		.filter((other) => other.phase === 'Executing' || compareAge(other, request) < 0)
		.filter((other) => selectWorkflow(view.workflows, other)?.uid === workflow.uid)
		.filter((other) => other.phase === 'Executing' || !waitsForItself(other, request, workflow, view))
		.toSorted(compareAge);
	const original = same.find(({ phase }) => phase === 'Executing') ?? same[0];
	if (original === undefined) return undefined;
	return blocked(
		'DuplicateInProgress',
		`duplicate of ${original.name}, which asks for ${workflow.name} on the same target`,
		{
			duplicateOf: { name: original.name, uid: original.uid },
		},
	);
}

/** The other is blocked by something of its own, and this request would wait for nothing. */
function waitsForItself(other: Remediation, request: Remediation, workflow: Workflow, view: TargetView): boolean {
	const isFilled = (one: Remediation) => 'parameters' in fillParameters(workflow, one);
	if (isFilled(request) && !isFilled(other)) return true;
	const isApproved = ({ uid }: Remediation) => view.approvalOf(uid)?.decision === 'Approved';
	return workflow.spec.mode === 'Approval' && isApproved(request) && !isApproved(other);
}

function resourceBusy(request: Remediation, _workflow: Workflow, view: TargetView) {
	// An execution that ended and is terminating holds nothing any more when others came after it.
	const newest = newestOf(view.executions);
	const holder = newestOf(
		view.executions.filter((execution) => !isOver(execution) || (execution === newest && execution.deleting)),
	);
	if (holder !== undefined)
		return blocked('ResourceBusy', `${holder.name} holds ${view.target}`, {
			holder: { name: holder.name, uid: holder.uid },
		});
	const skipped = view.executions.filter(({ requestUid, phase }) => requestUid === request.uid && phase === 'Skipped');
	const last = skipped.toSorted((a, b) => b.chain - a.chain)[0];
	if (last === undefined) return undefined;
	const until = endOf(last) + skippedBackoff(last.uid).calculate(skipped.length);
	if (until <= view.now) return undefined;
	const heldBy = last.skip?.heldBy?.slice(0, MAX_HOLDER_LENGTH) || undefined;
	return blocked(
		last.skip?.reason === 'RecentlyRemediated' ? 'RecentlyRemediated' : 'ResourceBusy',
		describeSkip(last),
		{
			until: iso(until),
			...(heldBy === undefined ? {} : { holder: { name: heldBy } }),
		},
	);
}

function describeSkip({ name, skip }: Execution): string {
	return `the executor skipped ${name}: ${skip?.message ?? skip?.reason ?? 'no reason given'}`;
}

/** The same workflow succeeded on the target while the request waited. A request that came later is a new incident. */
function remediatedByAnother(request: Remediation, workflow: Workflow, view: TargetView): LockedDecision | undefined {
	const since = Math.max(Date.parse(request.firingTime), Date.parse(request.receivedTime));
	const success = newestOf(
		view.executions.filter(
			(execution) =>
				execution.phase === 'Completed' && execution.workflowName === workflow.name && endOf(execution) > since,
		),
	);
	if (success === undefined) return undefined;
	return {
		do: 'finish',
		phase: 'Skipped',
		outcome: 'RemediatedByAnother',
		message: `${success.name} ran ${workflow.name} on ${view.target} and succeeded while this request waited`,
	};
}

function recentlyRemediated(_request: Remediation, workflow: Workflow, view: TargetView, config: RoutingConfig) {
	const last = ranToTheEnd(view.executions)[0];
	const ends = last === undefined ? 0 : endOf(last) + (last.cooldownMs ?? config.cooldownMs);
	const dryRuns = workflow.spec.mode === 'DryRun' ? dryRunsEnd(workflow, view, config) : [];
	const until = Math.max(ends, ...dryRuns);
	if (until <= view.now) return undefined;
	const cause = until === ends && last !== undefined ? last.name : 'a dry run';
	return blocked('RecentlyRemediated', `cooldown of ${view.target} after ${cause}, until ${iso(until)}`, {
		until: iso(until),
		...(until === ends && last !== undefined ? { holder: { name: last.name, uid: last.uid } } : {}),
	});
}

/** A dry run delays only other dry runs, so that it is not reported again and again: it touched nothing. */
function dryRunsEnd({ spec }: Workflow, view: TargetView, config: RoutingConfig): number[] {
	const cooldownMs = (spec.cooldown === undefined ? undefined : parseSpecDuration(spec.cooldown)) ?? config.cooldownMs;
	return view.requests
		.filter(({ outcome, completedAt }) => outcome === 'DryRun' && completedAt !== undefined)
		.map(({ completedAt }) => Date.parse(completedAt ?? '') + cooldownMs);
}

function exponentialBackoff(_request: Remediation, _workflow: Workflow, view: TargetView, config: RoutingConfig) {
	const failures = failuresInARow(view.executions);
	const [last] = failures;
	if (last === undefined) return undefined;
	const until = endOf(last) + failureBackoff(config, last.uid).calculate(failures.length);
	if (until <= view.now) return undefined;
	return blocked(
		'ExponentialBackoff',
		`${failures.length} runs on ${view.target} failed; the next one may start at ${iso(until)}`,
		{
			until: iso(until),
			holder: { name: last.name, uid: last.uid },
		},
	);
}

function dryRun(workflow: Workflow, view: TargetView, filled: Readonly<Record<string, string>>): LockedDecision {
	const parameters = Object.entries(filled).map(([name, value]) => `${name}=${value}`);
	return {
		do: 'finish',
		phase: 'Completed',
		outcome: 'DryRun',
		message: `${workflow.name} would run on ${view.target} with ${parameters.length === 0 ? 'no parameters' : parameters.join(', ')}`,
	};
}

/** The last check: when a person approves, nothing else blocks the run. */
function awaitingApproval(request: Remediation, workflow: Workflow, view: TargetView): LockedDecision {
	return blocked(
		'AwaitingApproval',
		`${workflow.name} on ${view.target} needs a RemediationApproval for ${request.name}`,
	);
}

/** The newest first. Skipped executions do not count: nothing ran. */
function ranToTheEnd(executions: readonly Execution[]): Execution[] {
	return executions
		.filter((execution) => isOver(execution) && execution.phase !== 'Skipped')
		.toSorted((a, b) => b.chain - a.chain);
}

function failuresInARow(executions: readonly Execution[]): Execution[] {
	const newestFirst = ranToTheEnd(executions);
	const success = newestFirst.findIndex(({ phase }) => phase !== 'Failed');
	return success === -1 ? newestFirst : newestFirst.slice(0, success);
}

function blocked(reason: BlockReason, message: string, more: Omit<Block, 'reason' | 'message'> = {}): LockedDecision {
	return { do: 'block', block: { reason, message, ...more } };
}

/** Whole seconds, rounded up: the API server keeps no more. */
function iso(milliseconds: number): string {
	return new Date(Math.ceil(milliseconds / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
