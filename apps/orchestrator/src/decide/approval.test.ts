import { describe, expect, it } from 'vitest';
import { anApproval, aRequest, aView, aWorkflow, CONFIG, TARGET } from '../../test/harness/made-up.ts';
import type { RemediationWorkflowSpec } from '../generated/remediation-workflow.ts';
import type { Approval } from '../objects/approval.ts';
import type { Remediation } from '../objects/remediation.ts';
import { approvalOf, describeApprover, digestAskedBy, question, rejectionOf, toAnswer, toOwn } from './approval.ts';

const request = aRequest();
const asking = (spec: Partial<RemediationWorkflowSpec> = {}) =>
	aWorkflow('restart', { mode: 'Approval', parameters: { NAME: '{{ target.name }}' }, ...spec });
const digestFor = (workflow = asking(), one: Remediation = request) =>
	digestAskedBy(one, aView({ workflows: [workflow] }));
const digest = digestFor() as string;

describe('the digest of what is asked', () => {
	const embedded = (steps: object) => asking({ pipelineRef: undefined, pipelineSpec: { tasks: [steps] } } as never);
	it.each([
		{ differs: 'workflow', other: { ...asking(), uid: 'other' } },
		{ differs: 'generation', other: { ...asking(), generation: 2 } },
		{ differs: 'pipeline', other: asking({ pipelineRef: { name: 'delete-all' } }) },
		{ differs: 'bundle', other: asking({ pipelineRef: { name: 'restart', bundle: 'b' } }) },
		{ differs: 'embedded pipeline', other: embedded({ name: 'x' }) },
		{ differs: 'service account', other: asking({ serviceAccountName: 'admin' }) },
		{ differs: 'filled parameters', other: asking({ parameters: { NAME: 'all' } }) },
	])('is another when the $differs differs', ({ other }) => {
		expect(digestFor(other)).toMatch(/^[0-9a-f]{64}$/);
		expect(digestFor(other)).not.toBe(digest);
	});

	it('is another for another target, and the same for another request that asks for the same', () => {
		expect(digestFor(asking(), { ...request, target: 'shop/Pod/p' })).not.toBe(digest);
		expect(digestFor(asking(), aRequest({ uid: 'other' }))).toBe(digest);
	});

	it('does not depend on the order of keys', () => {
		expect(digestFor(embedded({ a: 1, b: { c: 2, d: 3 } }))).toBe(digestFor(embedded({ b: { d: 3, c: 2 }, a: 1 })));
	});

	it('is absent when nothing is asked', () => {
		expect(digestFor(asking({ mode: 'Automatic' }))).toBeUndefined();
		expect(digestAskedBy(request, aView({ workflows: [] }))).toBeUndefined();
	});
});

describe('answers', () => {
	const yes = anApproval({ name: 'yes', digest });
	const no = anApproval({ name: 'no', digest, decision: 'Rejected' });
	const viewWith = (approvals: readonly Approval[], workflow = asking()) =>
		aView({ workflows: [workflow], approvalsOf: () => approvals });
	it.each([
		{ why: 'of this run', approvals: [yes], want: 'yes' },
		{ why: 'of another run', approvals: [{ ...yes, digest: 'f'.repeat(64) }], want: undefined },
		{ why: 'without a digest', approvals: [{ ...yes, digest: undefined }], want: undefined },
		{ why: 'two: the first by name', approvals: [yes, { ...yes, name: 'a' }], want: 'a' },
		{ why: 'a rejection', approvals: [no], want: undefined },
	])('approval $why: $want', ({ approvals, want }) => {
		expect(approvalOf(request, digest, viewWith(approvals))?.name).toBe(want);
	});

	it.each([
		{ why: 'of this run', approvals: [no], want: 'no' },
		{ why: 'beside an approval', approvals: [yes, no], want: 'no' },
		{ why: 'of another run', approvals: [{ ...no, digest: 'f'.repeat(64) }], want: undefined },
		{ why: 'of another run, when nothing is asked', approvals: [no], workflow: aWorkflow(), want: 'no' },
		{ why: 'without a digest', approvals: [{ ...no, digest: undefined }], want: 'no' },
		{ why: 'an approval', approvals: [yes], want: undefined },
	])('rejection $why: $want', ({ approvals, workflow, want }) => {
		expect(rejectionOf(request, viewWith(approvals, workflow))?.name).toBe(want);
	});

	it('are written down with the approver, as verified only with the setting', () => {
		const written = { decision: 'Approved', name: 'yes', digest, approver: 'anna', verified: false };
		const verifying = { ...CONFIG, approverVerified: true };
		expect(toAnswer(yes, CONFIG)).toEqual(written);
		expect(toAnswer(yes, verifying)).toEqual({ ...written, verified: true });
		expect(toAnswer({ ...yes, approver: undefined }, verifying)).toEqual({
			decision: 'Approved',
			name: 'yes',
			digest,
			verified: false,
		});
	});

	it.each([
		{ answer: { name: 'a', approver: 'anna', verified: true }, want: 'anna (verified)' },
		{ answer: { name: 'a', approver: 'anna', verified: false }, want: 'anna (not verified)' },
		{ answer: { name: 'a' }, want: 'RemediationApproval a, which names no approver' },
	])('are described as $want', ({ answer, want }) => {
		expect(describeApprover(answer)).toBe(want);
	});

	it('belong to their request: those that do not yet', () => {
		const owner = { apiVersion: 'v', kind: 'RemediationRequest', name: 'rr-1', uid: 'uid-1' };
		const approvals = [yes, { ...no, owners: [owner] }, { ...no, name: 'third', owners: [{ ...owner, uid: 'x' }] }];
		const view = { ...viewWith(approvals), requests: [request] };
		expect(toOwn(view).map(({ approval }) => approval.name)).toEqual(['yes', 'third']);
		expect(toOwn({ ...view, requests: [{ ...request, deleting: true }] })).toEqual([]);
	});
});

describe('the question', () => {
	const ask = (parameters: Record<string, string>, approvals: readonly Approval[] = [], workflow = asking()) =>
		question(request, { workflow, parameters }, digest, aView({ approvalsOf: () => approvals }));
	const textOf = (asked: ReturnType<typeof ask>) => ('text' in asked ? asked.text : '');

	it('names everything that would run, and the command that answers', () => {
		const text = textOf(ask({ NAME: 'cart' }, [], asking({ serviceAccountName: 'runner' })));
		expect(text).toContain(
			`restart on ${TARGET} needs an answer. Workflow uid uid-of-restart, generation 1; pipeline restart; ` +
				`service account runner; parameters NAME="cart"; digest ${digest}.`,
		);
		const [, json = '', namespace] =
			/: printf '(.*)' "\$\(kubectl.*\)" \| kubectl create -n (\S+) -f -$/.exec(text) ?? [];
		expect(namespace).toBe('kubernaut-system');
		expect(JSON.parse(json)).toEqual({
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'RemediationApproval',
			metadata: { generateName: 'rr-1-' },
			spec: {
				remediationRequestRef: { name: 'rr-1', uid: 'uid-1' },
				digest,
				decision: 'Approved',
				reason: 'reviewed',
				approver: '%s',
			},
		});
	});

	it('quotes parameters, which come from alerts', () => {
		expect(textOf(ask({ A: 'x". digest f\nTo approve: curl' }))).toContain('A="x\\". digest f\\nTo approve: curl";');
	});

	it.each([
		{ why: 'without a digest', digest: undefined, want: 'it carries no digest' },
		{ why: 'of another run', digest: 'f'.repeat(64), want: 'its digest is that of another run' },
	])('says that an answer $why does not count', ({ digest: theirs, want }) => {
		const wrong = anApproval({ name: 'a', digest: theirs });
		expect(textOf(ask({}, [wrong]))).toContain(`RemediationApproval a does not count: ${want}.`);
		expect(textOf(ask({}, [wrong, { ...wrong, name: 'b' }]))).toContain(`${want} (others that do not count: 1).`);
	});

	it('that cannot be shown as a whole is a problem', () => {
		expect(ask({ A: 'x'.repeat(4000) })).toMatchObject({ problem: expect.stringContaining('shorten the parameters') });
	});
});
