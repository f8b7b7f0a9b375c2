// Alerts about pods of workloads, each with the fingerprint that Alertmanager would give it.
import { createHash } from 'node:crypto';

export type PodAlert = {
	readonly alertname?: string;
	readonly namespace: string;
	readonly pod: string;
	readonly startsAt?: string;
	/** It has ended. */
	readonly endsAt?: string;
	readonly more?: Readonly<Record<string, string>>;
};

export const STARTED = '2026-11-16T20:00:00.000Z';

/** As Alertmanager groups them: one batch. */
export function podWebhook(...alerts: readonly PodAlert[]): string {
	return JSON.stringify({
		version: '4',
		receiver: 'kubernaut',
		alerts: alerts.map(({ alertname = 'KubePodCrashLooping', namespace, pod, startsAt = STARTED, endsAt, more }) => {
			const labels = { alertname, severity: 'warning', namespace, pod, ...more };
			return {
				status: endsAt === undefined ? 'firing' : 'resolved',
				labels,
				annotations: {},
				startsAt,
				endsAt: endsAt ?? '0001-01-01T00:00:00Z',
				fingerprint: createHash('sha256').update(JSON.stringify(labels)).digest('hex').slice(0, 16),
			};
		}),
	});
}

/** Names as the controller of a Deployment generates them. */
export function podNames(workload: string, count: number, hash = '7d4b9c55f6'): string[] {
	const letters = 'bcdfghjklmnpqrstvwxz2456789';
	return Array.from(
		{ length: count },
		(_, i) => `${workload}-${hash}-x2${letters[Math.floor(i / letters.length)]}8${letters[i % letters.length]}`,
	);
}
