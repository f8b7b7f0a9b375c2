// Kubernetes Events: what `kubectl describe` shows under a NotificationRequest. Recorded by the replica whose write the API
// server accepted, so once for each step. An Event that cannot be written is counted and dropped: nothing depends on it.
import { randomBytes } from 'node:crypto';
import { APP } from '../app.ts';
import type { KubeClient } from '../kube/kube.ts';
import type { Notification } from '../objects/notification.ts';

export type EventReason = 'Sent' | 'PartiallySent' | 'Failed' | 'GivenUp' | 'OutcomeUnknown';

/** Every reason of an Event, with what it means and what to do. */
export const EVENT_REASONS: Readonly<Record<EventReason, string>> = {
	Sent: 'The message was delivered on every channel.',
	PartiallySent: 'The message was delivered on some channels and given up on others. The status says why.',
	Failed: 'The message was delivered on no channel. The status says why, for each channel.',
	GivenUp: 'A channel was given up: the receiver rejected the message, or every attempt of the retry policy failed.',
	OutcomeUnknown:
		'Whether the message was sent is not known: the sender stopped, or no answer came. It is sent again, or, on a channel with at most one send, it is not. Look at the receiver.',
};

type About = Pick<Notification, 'name' | 'uid'>;
export type EventRecorder = {
	record(about: About, reason: EventReason, message: string): void;
	/** When every recorded Event is written or dropped. */
	settled(): Promise<void>;
};

const MAX_MESSAGE_LENGTH = 1024;

export function createEventRecorder(
	kube: Pick<KubeClient, 'call'>,
	namespace: string,
	podName: string,
	now: () => Date,
	onFailure: (error: unknown) => void,
): EventRecorder {
	const underWay = new Set<Promise<void>>();

	async function write({ name, uid }: About, reason: EventReason, message: string): Promise<void> {
		const time = now()
			.toISOString()
			.replace(/\.\d{3}Z$/, 'Z');
		const component = `kubernaut-${APP.name}`;
		try {
			await kube.call({
				verb: 'create',
				path: `/api/v1/namespaces/${namespace}/events`,
				resource: 'events',
				namespace,
				body: {
					apiVersion: 'v1',
					kind: 'Event',
					metadata: { name: `${name.slice(0, 200)}.${randomBytes(8).toString('hex')}`, namespace },
					involvedObject: { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'NotificationRequest', name, namespace, uid },
					type: reason === 'Sent' ? 'Normal' : 'Warning',
					reason,
					message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
					source: { component },
					reportingComponent: component,
					reportingInstance: podName,
					firstTimestamp: time,
					lastTimestamp: time,
					eventTime: null,
					count: 1,
				},
			});
		} catch (error) {
			onFailure(error);
		}
	}

	return {
		record(about, reason, message) {
			const writing = write(about, reason, message).finally(() => underWay.delete(writing));
			underWay.add(writing);
		},
		async settled() {
			await Promise.all(underWay);
		},
	};
}
