// The values that make this app this one; the mirrored folders take them from here.
export const APP = {
	name: 'workflow-executor',
	summary: 'Runs each WorkflowExecution as one Tekton PipelineRun, whose name is the lock of its target.',
	metricsPrefix: 'we_',
	/** The kinds of kubernaut.ai/v1alpha1 that it needs, and those of Tekton. */
	kinds: ['workflowexecutions', 'tekton.dev/v1/pipelineruns', 'tekton.dev/v1/taskruns'],
} as const;
