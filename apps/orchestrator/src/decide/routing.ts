// Whether a request that has nothing running may have its workflow run, and if not why not: the checks in their order.
// Pure: the same view, in whatever order, gives the same decision in every replica. A view may be old; what must be
// certain (nothing else holds the target, nothing of ours ran already) is settled by the create of the chained name.

import { REMEDIATION_REQUEST_LIMITS } from '../generated/remediation-request.ts';
import { type Execution, endOf, holdsTarget, isOver, newestOf } from '../objects/execution.ts';
import { type Block, type BlockReason, isActive, type Remediation } from '../objects/remediation.ts';
import { parseSpecDuration } from '../objects/spec-duration.ts';
import type { TargetView } from '../objects/target-view.ts';
import type { Workflow } from '../objects/workflow.ts';
import { approvalOf, digestOf, question, toAnswer } from './approval.ts';
import { type AskedRun, askedRun } from './asked-run.ts';
import type { LockedDecision } from './decision.ts';
import { originalOf } from './duplicates.ts';
import { failureBackoff, type RoutingConfig, skippedBackoff } from './routing-config.ts';
import { endedWhileWaiting } from './while-waiting.ts';
import { describeUnused } from './workflow/workflow-readiness.ts';

type Check = (
	request: Remediation,
	asked: AskedRun,
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
	if (paused !== undefined) return blocked('Paused', paused);
	const asked = askedRun(request, view.workflows);
	if (asked === undefined)
		return blocked(
			'NoWorkflow',
			`no RemediationWorkflow matches the signal ${request.signal.name} (severity ${request.signal.severity}) on ${request.target}${describeUnused(view.workflows)}`,
		);
	for (const check of CHECKS) {
		const decision = check(request, asked, view, config);
		if (decision !== undefined) return decision;
	}
	const { workflow, filled } = asked;
	if ('problem' in filled) return misconfigured(workflow, filled.problem);
	const { parameters } = filled;
	if (workflow.spec.mode === 'DryRun') return dryRun(workflow, view, parameters);
	if (workflow.spec.mode !== 'Approval') return { do: 'execute', workflow, parameters };
	const digest = digestOf(asked);
	const approval = approvalOf(request, digest, view);
	if (approval !== undefined) return { do: 'execute', workflow, parameters, answer: toAnswer(approval, config) };
	// The last check: when a person approves, nothing else blocks the run.
	const asking = question(request, { workflow, parameters }, digest, view);
	if ('problem' in asking) return misconfigured(workflow, asking.problem);
	return blocked('AwaitingApproval', asking.text, { digest });
}

/** Of this workflow: another one may be the one that helps. */
function consecutiveFailures(
	_request: Remediation,
	{ workflow }: AskedRun,
	view: TargetView,
	config: RoutingConfig,
): LockedDecision | undefined {
	const failures = failuresInARow(workflow, view.executions).slice(0, config.consecutiveFailures);
	const [last] = failures;
	const first = failures.at(-1);
	if (last === undefined || first === undefined || failures.length < config.consecutiveFailures) return undefined;
	if (endOf(last) - endOf(first) > config.failureWindowMs) return undefined;
	const until = endOf(last) + config.failureWindowMs;
	if (until <= view.now) return undefined;
	return blocked(
		'ConsecutiveFailures',
		`${failures.length} runs of ${workflow.name} on ${view.target} failed in a row, the last one is ${last.name}`,
		{
			until: iso(until),
			holder: { name: last.name, uid: last.uid },
		},
	);
}

function duplicateInProgress(request: Remediation, asked: AskedRun, view: TargetView): LockedDecision | undefined {
	const original = originalOf(request, asked, view);
	if (original === undefined) return undefined;
	return blocked(
		'DuplicateInProgress',
		`duplicate of ${original.name}, which asks for the same run of ${asked.workflow.name} on ${view.target}`,
		{ duplicateOf: { name: original.name, uid: original.uid } },
	);
}

function resourceBusy(request: Remediation, _asked: AskedRun, view: TargetView): LockedDecision | undefined {
	// An execution that ended and is terminating holds nothing any more when others came after it.
	const newest = newestOf(view.executions);
	const holder = newestOf(
		view.executions.filter((execution) => !isOver(execution) || (execution === newest && holdsTarget(execution))),
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
	const why = skip?.message ?? skip?.reason ?? 'no reason given';
	return skip?.reason === 'Withdrawn' ? `${name} was withdrawn: ${why}` : `the executor skipped ${name}: ${why}`;
}

/** The very same run succeeded while the request waited. A request that came later is a new incident. */
function remediatedByAnother(
	request: Remediation,
	{ workflow, identity }: AskedRun,
	view: TargetView,
): LockedDecision | undefined {
	const success = newestOf(
		view.executions.filter(
			(execution) =>
				execution.phase === 'Completed' && execution.run === identity && endedWhileWaiting(request, execution),
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

/** Whatever ran: the target needs the time to settle. */
function recentlyRemediated(
	_request: Remediation,
	{ workflow }: AskedRun,
	view: TargetView,
	config: RoutingConfig,
): LockedDecision | undefined {
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

function exponentialBackoff(
	_request: Remediation,
	{ workflow }: AskedRun,
	view: TargetView,
	config: RoutingConfig,
): LockedDecision | undefined {
	const failures = failuresInARow(workflow, view.executions);
	const [last] = failures;
	if (last === undefined) return undefined;
	const until = endOf(last) + failureBackoff(config, last.uid).calculate(failures.length);
	if (until <= view.now) return undefined;
	return blocked(
		'ExponentialBackoff',
		`${failures.length} runs of ${workflow.name} on ${view.target} failed; the next one may start at ${iso(until)}`,
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

function misconfigured({ name }: Workflow, problem: string): LockedDecision {
	return blocked('ConfigurationError', `RemediationWorkflow ${name}, ${problem}`);
}

/** The newest first. Skipped executions do not count: nothing ran. */
function ranToTheEnd(executions: readonly Execution[]): Execution[] {
	return executions
		.filter((execution) => isOver(execution) && execution.phase !== 'Skipped')
		.toSorted((a, b) => b.chain - a.chain);
}

function failuresInARow(workflow: Workflow, executions: readonly Execution[]): Execution[] {
	const newestFirst = ranToTheEnd(executions.filter(({ workflowUid }) => workflowUid === workflow.uid));
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
