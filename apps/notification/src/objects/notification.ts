// A NotificationRequest as this app sees it. Of a finished one only what its removal needs is kept: there may be thousands.
import type {
	NotificationRequest,
	NotificationRequestChannel,
	NotificationRequestCondition,
	NotificationRequestContext,
	NotificationRequestDelivery,
	NotificationRequestPhase,
	NotificationRequestSpec,
} from '../generated/notification-request.ts';
import { parseSpecDuration } from './spec-duration.ts';

export type ChannelName = NotificationRequestChannel;
export type Phase = NotificationRequestPhase;
export type Delivery = Readonly<NotificationRequestDelivery>;
export type Condition = Readonly<NotificationRequestCondition>;
export type Context = Readonly<NotificationRequestContext>;

export type Notification = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly deleting: boolean;
	readonly phase: Phase | undefined;
	readonly completedAt: string | undefined;
	/** Absent: the service's setting. */
	readonly retentionMs: number | undefined;
	/** Absent: not routed yet. */
	readonly channels: readonly ChannelName[] | undefined;
	readonly deliveries: readonly Delivery[];
	readonly conditions: readonly Condition[];
	/** The whole object; undefined when it is finished. */
	readonly object: NotificationRequest | undefined;
};

/** Every phase, and whether it is terminal. A phase that the CRD adds does not compile until it stands here. */
const IS_TERMINAL: Readonly<Record<Phase, boolean>> = {
	Pending: false,
	Sending: false,
	Retrying: false,
	Sent: true,
	PartiallySent: true,
	Failed: true,
};

export function isFinished({ phase }: Pick<Notification, 'phase'>): boolean {
	return phase !== undefined && IS_TERMINAL[phase];
}

export function toNotification(object: NotificationRequest): Notification {
	const { metadata, spec, status = {} } = object;
	const { retention } = spec;
	const finished = isFinished({ phase: status.phase });
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		deleting: metadata.deletionTimestamp !== undefined,
		phase: status.phase,
		completedAt: status.completedAt,
		retentionMs: retention === undefined ? undefined : parseSpecDuration(retention),
		channels: finished ? [] : (status.channels ?? spec.channels),
		deliveries: finished ? [] : (status.deliveries ?? []),
		conditions: finished ? [] : (status.conditions ?? []),
		object: finished ? undefined : object,
	};
}

export function deliveryOf(
	{ deliveries }: Pick<Notification, 'deliveries'>,
	channel: ChannelName,
): Delivery | undefined {
	return deliveries.find((delivery) => delivery.channel === channel);
}

/** Delivered, or given up: nothing is ever sent on this channel again. */
export function isSettled(delivery: Delivery | undefined): boolean {
	return delivery?.state === 'Delivered' || delivery?.final === true;
}

export type RetryPolicy = {
	readonly maxAttempts: number;
	readonly initialBackoffMs: number;
	readonly multiplier: number;
	readonly maxBackoffMs: number;
};

// Of durations that the schema would have refused.
const INITIAL_BACKOFF_MS = 30_000;
const MAX_BACKOFF_MS = 480_000;

/** The schema has defaults for all of it. */
export function retryPolicyOf({ retryPolicy }: Pick<NotificationRequestSpec, 'retryPolicy'>): RetryPolicy {
	return {
		maxAttempts: retryPolicy.maxAttempts,
		initialBackoffMs: parseSpecDuration(retryPolicy.initialBackoff) ?? INITIAL_BACKOFF_MS,
		multiplier: retryPolicy.multiplier,
		maxBackoffMs: parseSpecDuration(retryPolicy.maxBackoff) ?? MAX_BACKOFF_MS,
	};
}

/** Names one channel of one message in this process. */
export function deliveryId(uid: string, channel: ChannelName): string {
	return `${uid}:${channel}`;
}
