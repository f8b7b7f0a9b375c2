// A RemediationApproval as the orchestrator sees it: a person's answer to one request.
import type { OwnerReference } from '../generated/object-meta.ts';
import type { RemediationApproval, RemediationApprovalDecision } from '../generated/remediation-approval.ts';

export type Approval = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly owners: readonly OwnerReference[];
	readonly requestUid: string;
	/** Of the run that was decided on. */
	readonly digest: string | undefined;
	readonly decision: RemediationApprovalDecision;
	readonly reason: string;
	readonly approver: string | undefined;
};

export function toApproval({ metadata, spec }: RemediationApproval): Approval {
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		owners: metadata.ownerReferences ?? [],
		requestUid: spec.remediationRequestRef.uid,
		digest: spec.digest,
		decision: spec.decision,
		reason: spec.reason,
		approver: spec.approver,
	};
}
