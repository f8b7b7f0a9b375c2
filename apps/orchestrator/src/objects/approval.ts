// A RemediationApproval as the orchestrator sees it: a person's word on one request.
import type { RemediationApproval, RemediationApprovalDecision } from '../generated/remediation-approval.ts';

export type Approval = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly requestUid: string;
	readonly decision: RemediationApprovalDecision;
	readonly reason: string;
};

export function toApproval({ metadata, spec }: RemediationApproval): Approval {
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		requestUid: spec.remediationRequestRef.uid,
		decision: spec.decision,
		reason: spec.reason,
	};
}
