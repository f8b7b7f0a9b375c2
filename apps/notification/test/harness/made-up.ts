// Messages, entries and parts for unit tests: complete, dull, and changed in one thing at a time.
import type {
	NotificationRequest,
	NotificationRequestSpec,
	NotificationRequestStatus,
} from '../../src/generated/notification-request.ts';
import { type Delivery, type Notification, type RetryPolicy, toNotification } from '../../src/objects/notification.ts';

export const NOW = Date.parse('2026-11-18T12:00:00Z');
export const FINGERPRINT = 'a'.repeat(64);
export const RETRY: RetryPolicy = { maxAttempts: 5, initialBackoffMs: 30_000, multiplier: 2, maxBackoffMs: 480_000 };

export function at(milliseconds: number): string {
	return new Date(milliseconds).toISOString();
}

export function anObject(
	spec: Partial<NotificationRequestSpec> = {},
	status?: NotificationRequestStatus,
	metadata: Partial<NotificationRequest['metadata']> = {},
): NotificationRequest {
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'NotificationRequest',
		metadata: {
			name: 'nr-1',
			namespace: 'kubernaut-system',
			uid: 'uid-1',
			resourceVersion: '1',
			generation: 1,
			creationTimestamp: at(NOW - 1000),
			...metadata,
		},
		spec: {
			type: 'Escalation',
			priority: 'High',
			subject: 'Remediation failed: Crash on shop/Deployment/cart',
			body: 'It failed.',
			retryPolicy: { maxAttempts: 5, initialBackoff: '30s', multiplier: 2, maxBackoff: '480s' },
			context: {
				cause: 'failed',
				signalName: 'Crash',
				severity: 'critical',
				signalFingerprint: FINGERPRINT,
				firingTime: '2026-11-18T11:00:00Z',
				chain: 0,
				targetResource: 'shop/Deployment/cart',
				labels: { team: 'checkout' },
			},
			...spec,
		},
		...(status === undefined ? {} : { status }),
	};
}

export function aNotification(
	spec: Partial<NotificationRequestSpec> = {},
	status?: NotificationRequestStatus,
	metadata: Partial<NotificationRequest['metadata']> = {},
): Notification {
	return toNotification(anObject({ channels: ['log'], ...spec }, status, metadata));
}

export function aClaim(changes: Partial<Delivery> = {}): Delivery {
	return { channel: 'slack', state: 'Claimed', attempt: 1, claimedBy: 'pod-a_1', at: at(NOW), ...changes };
}
