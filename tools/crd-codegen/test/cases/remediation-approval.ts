import { type CustomResource, hex, type KindCases, UID } from './case.ts';

function valid(): CustomResource {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationApproval',
		metadata: { name: `approval-${hex(8)}` },
		spec: {
			remediationRequestRef: { name: 'rr-abcdef012345-0123456789abcdef', uid: UID },
			decision: 'Approved',
			reason: 'looked at it, go ahead',
		},
	};
}

export const REMEDIATION_APPROVAL_CASES: KindCases = {
	kind: 'RemediationApproval',
	valid,
	full: {
		spec: {
			remediationRequestRef: { name: 'rr-abcdef012345-fedcba9876543210', uid: UID },
			decision: 'Rejected',
			reason: 'the release is rolled back already',
			digest: '0123456789abcdef'.repeat(4),
			approver: 'on-call@example.com',
		},
	},
	create: [
		{ title: 'an approver that is a ServiceAccount', change: { spec: { approver: 'system:serviceaccount:ops:bot' } } },
		{
			title: 'an approver of two lines',
			change: { spec: { approver: 'on-call\nday-shift' } },
			wantRefused: /spec\.approver in body should match/,
		},
		{
			title: 'a digest that is cut short',
			change: { spec: { digest: '0123456789abcdef' } },
			wantRefused: /spec\.digest in body should match/,
		},
		{
			title: 'a decision that is neither yes nor no',
			change: { spec: { decision: 'Maybe' } },
			wantRefused: /spec\.decision: Unsupported value: "Maybe": supported values: "Approved", "Rejected"/,
		},
		{
			title: 'no reason',
			change: { spec: { reason: null } },
			wantRefused: /spec\.reason: Required value/,
		},
		{
			title: 'an empty reason',
			change: { spec: { reason: '' } },
			wantRefused: /spec\.reason in body should be at least 1 chars long/,
		},
		{
			title: 'no uid: it would also hold for a later RemediationRequest of the same name',
			change: { spec: { remediationRequestRef: { uid: null } } },
			wantRefused: /spec\.remediationRequestRef\.uid: Required value/,
		},
	],
	update: [
		{ title: 'labels', patch: { metadata: { labels: { team: 'a' } } } },
		{
			title: 'a change of mind',
			patch: { spec: { decision: 'Rejected' } },
			wantRefused: /spec: Forbidden: spec is immutable: .*create another RemediationApproval/,
		},
		{
			title: 'the digest of another run',
			patch: { spec: { digest: 'f'.repeat(64) } },
			wantRefused: /spec is immutable/,
		},
		{
			title: 'another approver',
			patch: { spec: { approver: 'day-shift' } },
			wantRefused: /spec is immutable/,
		},
		{
			title: 'another request',
			patch: { spec: { remediationRequestRef: { uid: 'another' } } },
			wantRefused: /spec is immutable/,
		},
	],
	status: [],
};
