// What makes this app this one; the rooms that all apps have alike take it from here.
export const APP = {
	name: 'notification',
	summary: 'Delivers each NotificationRequest once per channel.',
	metricsPrefix: 'notification_',
	/** The kinds of kubernaut.ai/v1alpha1 that it cannot work without. */
	kinds: ['notificationrequests'],
} as const;
