// Requests that ask for the very same run on a target: one of them is executed, the others wait for it. A success is theirs,
// too; after a failure the oldest of them takes the next try. What a run is, is said in run-identity.ts.

import { compareAge, isActive, type Ref, type Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import { approvalOf, describeApprover, digestAskedBy, digestOf } from './approval.ts';
import { type AskedRun, askedRun } from './asked-run.ts';
import type { End } from './decision.ts';

/**
 * The request that this one waits for: the one that is executing, else the oldest. There is no circle, because a duplicate
 * waits for one that is executing or for an older one.
 */
export function originalOf(request: Remediation, asked: AskedRun, view: TargetView): Remediation | undefined {
	let original: Remediation | undefined;
	for (const other of view.requests) {
		if (other.uid === request.uid || !isActive(other)) continue;
		if (other.phase !== 'Executing' && compareAge(other, request) > 0) continue;
		if (original !== undefined && !comesBefore(other, original)) continue;
		if (runOf(other, view) !== asked.identity) continue;
		if (other.phase !== 'Executing' && waitsForItself(other, request, asked, view)) continue;
		original = other;
	}
	return original;
}

function comesBefore(a: Remediation, b: Remediation): boolean {
	const executes = (one: Remediation) => one.phase === 'Executing';
	return executes(a) === executes(b) ? compareAge(a, b) < 0 : executes(a);
}

/** What runs for it, else what it asks for: a workflow may have been edited since its execution was made. */
function runOf(request: Remediation, view: TargetView): string | undefined {
	if (request.phase !== 'Executing') return askedRun(request, view.workflows)?.identity;
	return executionOf(request, view)?.run;
}

/** The other waits for an answer that this request was given. */
function waitsForItself(other: Remediation, request: Remediation, asked: AskedRun, view: TargetView): boolean {
	if (asked.workflow.spec.mode !== 'Approval') return false;
	const digest = digestOf(asked);
	const isApproved = (one: Remediation) => approvalOf(one, digest, view) !== undefined;
	return isApproved(request) && !isApproved(other);
}

/**
 * How a duplicate ends with its original: when the very run that it asks for succeeded, or was rejected by a person. All
 * other ends (a failure, a time-out, a lost execution, a resolved signal) are the original's own; it is decided anew.
 */
export function endWithOriginal(request: Remediation, view: TargetView): End | undefined {
	if (request.block?.reason !== 'DuplicateInProgress') return undefined;
	const original = view.requests.find(({ uid }) => uid === request.block?.duplicateOf?.uid);
	if (original === undefined) return undefined;
	const duplicateOf: Ref = { name: original.name, uid: original.uid };
	if (original.phase === 'Completed' && ranForBoth(original, request, view))
		return original.outcome === 'DryRun'
			? { phase: 'Skipped', outcome: 'DryRun', message: `same dry run as ${original.name}`, duplicateOf }
			: { phase: 'Skipped', outcome: 'RemediatedByAnother', message: `remediated by ${original.name}`, duplicateOf };
	const { approval } = original;
	if (approval?.decision !== 'Rejected' || !isTheSameAnswer(approval.digest, request, view)) return undefined;
	return {
		phase: 'Cancelled',
		outcome: 'Rejected',
		message: `rejected with ${original.name}, which asked for the very same run, by ${describeApprover(approval)}`,
		duplicateOf,
	};
}

/** Without the execution or a workflow there is nothing to compare: it waited for this run, so this was its run. */
function ranForBoth(original: Remediation, request: Remediation, view: TargetView): boolean {
	const asked = askedRun(request, view.workflows);
	if (asked === undefined) return true;
	if (original.outcome === 'DryRun') return asked.workflow.spec.mode === 'DryRun';
	const execution = executionOf(original, view);
	return execution === undefined || execution.run === asked.identity;
}

/** A rejection without a digest is about the request that it names, and says nothing of others. */
function isTheSameAnswer(digest: string | undefined, request: Remediation, view: TargetView): boolean {
	return digest !== undefined && digest === digestAskedBy(request, view);
}

/** Requests that end with this one when its question is answered with no. */
export function waitersFor({ uid }: Remediation, digest: string, view: TargetView): readonly Remediation[] {
	return view.requests.filter(
		(other) => isActive(other) && other.block?.duplicateOf?.uid === uid && digestAskedBy(other, view) === digest,
	);
}

function executionOf({ executionRef }: Remediation, { executions }: TargetView) {
	return executions.find(({ uid }) => uid === executionRef?.uid);
}
