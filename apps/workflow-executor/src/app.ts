// What makes this app this one; the rooms that all apps have alike take it from here.
export const APP = {
	name: 'workflow-executor',
	summary: 'Runs each WorkflowExecution as one Tekton PipelineRun, whose name is the lock of its target.',
	metricsPrefix: 'we_',
	/** The kinds of kubernaut.ai/v1alpha1 that it cannot work without. */
	kinds: ['workflowexecutions'],
} as const;
