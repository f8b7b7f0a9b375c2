// The values that make this app this one; the mirrored folders take them from here.
export const APP = {
	name: 'gateway',
	summary: 'Receives alerts and Events and creates one RemediationRequest per incident, at any number of replicas.',
	metricsPrefix: 'gateway_',
	/** The kinds of kubernaut.ai/v1alpha1 that it needs. */
	kinds: ['remediationrequests'],
} as const;
