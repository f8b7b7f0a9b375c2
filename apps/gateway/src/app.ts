// What makes this app this one; the rooms that all apps have alike take it from here.
export const APP = {
	name: 'gateway',
	summary: 'Receives alerts and Events and creates one RemediationRequest per incident, at any number of replicas.',
	metricsPrefix: 'gateway_',
	/** The kinds of kubernaut.ai/v1alpha1 that it cannot work without. */
	kinds: ['remediationrequests'],
} as const;
