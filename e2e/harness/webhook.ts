// What an Alertmanager sends about a deployment of the namespace `shop`.
export type Signal = { readonly alertname: string; readonly deployment: string };

export const NAMESPACE_OF_TARGETS = 'shop';

export function webhook({ alertname, deployment }: Signal): string {
	const labels = { alertname, severity: 'critical', namespace: NAMESPACE_OF_TARGETS, deployment };
	return JSON.stringify({
		version: '4',
		groupKey: `{}:{alertname="${alertname}"}`,
		truncatedAlerts: 0,
		status: 'firing',
		receiver: 'kubernaut',
		groupLabels: { alertname },
		commonLabels: labels,
		commonAnnotations: {},
		externalURL: 'http://alertmanager.example.org:9093',
		alerts: [{ status: 'firing', labels, annotations: {}, startsAt: '2026-11-16T20:00:00.000Z' }],
	});
}
