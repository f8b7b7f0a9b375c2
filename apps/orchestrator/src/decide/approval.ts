// People's answers: what exactly they are asked, which answers count, and how an answer is written down.
// Guarantee: an approval counts only for the run that was shown. Its digest covers everything that runs, so that an edited
// workflow, other parameters or another target ask again. What cannot be shown as a whole is not asked.
import { createHash } from 'node:crypto';
import type { RemediationRequestApproval } from '../generated/remediation-request.ts';
import { REMEDIATION_REQUEST_LIMITS } from '../generated/remediation-request.ts';
import type { Approval } from '../objects/approval.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import type { Workflow } from '../objects/workflow.ts';
import { type AskedRun, askedRun } from './asked-run.ts';
import type { RoutingConfig } from './routing-config.ts';

/** An answer as it is written into requests and executions. */
export type Answer = Readonly<Required<Pick<RemediationRequestApproval, 'decision' | 'name' | 'verified'>>> &
	Readonly<Pick<RemediationRequestApproval, 'digest' | 'approver'>>;

const MAX_LENGTH = REMEDIATION_REQUEST_LIMITS['status.blockMessage'].maxLength;
/** What is kept free in a question for answers that do not count. */
const MAX_REMARK_LENGTH = 512;

/** Of everything that the run is made of, for the parameters as they are filled now. */
export function digestOf({ workflow, identity }: Pick<AskedRun, 'workflow' | 'identity'>): string {
	const { pipelineRef, pipelineSpec, serviceAccountName } = workflow.spec;
	return createHash('sha256')
		.update(canonicalJson([identity, pipelineRef, pipelineSpec, serviceAccountName]))
		.digest('hex');
}

/** The approval of exactly this run; of several the first by name, the same in every replica. */
export function approvalOf(request: Pick<Remediation, 'uid'>, digest: string, view: TargetView): Approval | undefined {
	return byName(view.approvalsOf(request.uid)).find(
		(approval) => approval.decision === 'Approved' && approval.digest === digest,
	);
}

/**
 * A no weighs more than a yes. It counts unless it answers another question than this one: without a digest it rejects the
 * request, whatever that asks for. `digestOfQuestion`: what is asked now, or was asked for an execution.
 */
export function rejectionOf(
	request: Remediation,
	view: TargetView,
	digestOfQuestion = () => digestAskedBy(request, view),
): Approval | undefined {
	const rejections = byName(view.approvalsOf(request.uid)).filter(({ decision }) => decision === 'Rejected');
	if (rejections.length === 0) return undefined;
	const digest = digestOfQuestion();
	return (
		rejections.find((rejection) => rejection.digest !== undefined && rejection.digest === digest) ??
		rejections.find((rejection) => rejection.digest === undefined || digest === undefined)
	);
}

/** What people are asked to approve for this request; undefined when they are not asked. */
export function digestAskedBy(request: Remediation, view: TargetView): string | undefined {
	const asked = askedRun(request, view.workflows);
	return asked !== undefined && asked.workflow.spec.mode === 'Approval' ? digestOf(asked) : undefined;
}

export function toAnswer(approval: Approval, { approverVerified }: Pick<RoutingConfig, 'approverVerified'>): Answer {
	const { decision, name, digest, approver } = approval;
	return {
		decision,
		name,
		verified: approverVerified && approver !== undefined,
		...(digest === undefined ? {} : { digest }),
		...(approver === undefined ? {} : { approver }),
	};
}

export function describeApprover({
	name,
	approver,
	verified,
}: Readonly<Pick<RemediationRequestApproval, 'name' | 'approver' | 'verified'>>): string {
	if (approver === undefined) return `RemediationApproval ${name}, which names no approver`;
	return `${approver} (${verified === true ? 'verified' : 'not verified'})`;
}

/** Everything that would run, and the command that answers. */
export function question(
	request: Remediation,
	{ workflow, parameters }: { readonly workflow: Workflow; readonly parameters: Readonly<Record<string, string>> },
	digest: string,
	view: TargetView,
): { readonly text: string } | { readonly problem: string } {
	const { name, uid, generation, spec } = workflow;
	const text = [
		`${name} on ${request.target} needs an answer.`,
		`Workflow uid ${uid}, generation ${generation};`,
		`${describePipeline(spec)};`,
		`service account ${spec.serviceAccountName ?? 'as the executor sets it'};`,
		`${describeParameters(parameters)};`,
		`digest ${digest}.`,
	].join(' ');
	const command = `To approve (or, with Rejected instead of Approved, to reject): ${commandFor(request, digest)}`;
	const length = text.length + command.length + 2;
	if (length > MAX_LENGTH - MAX_REMARK_LENGTH)
		return {
			problem: `the question to the approver has ${length} characters, and ${MAX_LENGTH - MAX_REMARK_LENGTH} can be shown; shorten the parameters`,
		};
	const remark = describeOthers(view.approvalsOf(request.uid), digest);
	return { text: remark === '' ? `${text} ${command}` : `${text} ${remark} ${command}` };
}

/** Approvals that do not belong to the request yet, and go with it as soon as they do. */
export function toOwn(view: TargetView): { readonly approval: Approval; readonly request: Remediation }[] {
	return view.requests
		.filter(({ deleting }) => !deleting)
		.flatMap((request) =>
			view
				.approvalsOf(request.uid)
				.filter(({ owners }) => owners.every(({ uid }) => uid !== request.uid))
				.map((approval) => ({ approval, request })),
		);
}

function describePipeline({ pipelineRef, pipelineSpec }: Workflow['spec']): string {
	if (pipelineRef === undefined) return `pipeline embedded, ${pipelineSpec?.tasks.length ?? 0} tasks`;
	const { name, bundle } = pipelineRef;
	return `pipeline ${name}${bundle === undefined ? '' : ` of the bundle ${bundle}`}`;
}

/** Quoted: a value from an alert must not read like a part of the question. */
function describeParameters(parameters: Readonly<Record<string, string>>): string {
	const all = Object.entries(parameters).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
	return all.length === 0 ? 'no parameters' : `parameters ${all.join(', ')}`;
}

function describeOthers(approvals: readonly Approval[], digest: string): string {
	const [first, ...more] = byName(approvals).filter((approval) => approval.digest !== digest);
	if (first === undefined) return '';
	const why = first.digest === undefined ? 'it carries no digest' : 'its digest is that of another run';
	const others = more.length === 0 ? '' : ` (others that do not count: ${more.length})`;
	return `RemediationApproval ${first.name} does not count: ${why}${others}.`;
}

function commandFor({ name, uid, namespace }: Remediation, digest: string): string {
	const spec = `{"remediationRequestRef":{"name":"${name}","uid":"${uid}"},"digest":"${digest}","decision":"Approved","reason":"reviewed","approver":"%s"}`;
	const object = `{"apiVersion":"kubernaut.ai/v1alpha1","kind":"RemediationApproval","metadata":{"generateName":"${name}-"},"spec":${spec}}`;
	const user = `"$(kubectl auth whoami -o jsonpath='{.status.userInfo.username}')"`;
	return `printf '${object}' ${user} | kubectl create -n ${namespace} -f -`;
}

function byName(approvals: readonly Approval[]): Approval[] {
	return approvals.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Keys in one order, at every depth. */
function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, inner: unknown) =>
		typeof inner === 'object' && inner !== null && !Array.isArray(inner)
			? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
			: inner,
	);
}
