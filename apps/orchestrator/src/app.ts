// The values that make this app this one; the mirrored folders take them from here.
export const APP = {
	name: 'orchestrator',
	summary: 'Decides for each RemediationRequest what is done about it: one WorkflowExecution per target at a time.',
	metricsPrefix: 'ro_',
	/** The kinds of kubernaut.ai/v1alpha1 that it needs. */
	kinds: [
		'remediationrequests',
		'workflowexecutions',
		'remediationworkflows',
		'remediationapprovals',
		'notificationrequests',
	],
} as const;
