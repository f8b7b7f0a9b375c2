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
		},
	},
	create: [
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
			title: 'another request',
			patch: { spec: { remediationRequestRef: { uid: 'another' } } },
			wantRefused: /spec is immutable/,
		},
	],
	status: [],
};
