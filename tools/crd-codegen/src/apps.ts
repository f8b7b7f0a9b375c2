// Which app reads or writes which kinds. An app gets types for these and no others, so that this table is also the
// list of which app uses which kind.
export const KINDS_BY_APP = {
	gateway: ['RemediationRequest'],
	orchestrator: [
		'RemediationRequest',
		'WorkflowExecution',
		'RemediationWorkflow',
		'RemediationApproval',
		'NotificationRequest',
	],
	'workflow-executor': ['WorkflowExecution'],
	notification: ['NotificationRequest'],
} as const satisfies KindsByApp;

export type KindsByApp = Readonly<Record<string, readonly string[]>>;
