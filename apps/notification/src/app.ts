// The values that make this app this one; the mirrored folders take them from here.
export const APP = {
	name: 'notification',
	summary: 'Delivers each NotificationRequest once per channel.',
	metricsPrefix: 'notification_',
	/** The kinds of kubernaut.ai/v1alpha1 that it needs. */
	kinds: ['notificationrequests'],
} as const;
