// The whole status that follows from the entries of the channels: phase, counters, conditions. Written with every change of
// an entry, so that they never tell different stories.
import type { NotificationRequestStatus } from '../generated/notification-request.ts';
import {
	type ChannelName,
	type Condition,
	type Delivery,
	isSettled,
	type Notification,
	type Phase,
} from '../objects/notification.ts';

export type ConditionType = 'Complete' | 'OutcomeUnknown' | 'KeyOfUid';
export type NewCondition = {
	readonly type: ConditionType;
	readonly status: 'True' | 'False';
	readonly reason: string;
	readonly message: string;
};

const MAX_MESSAGE_LENGTH = 4096;

export function statusOf(
	notification: Notification,
	channels: readonly ChannelName[],
	deliveries: readonly Delivery[],
	now: Date,
	noted: readonly NewCondition[] = [],
): NotificationRequestStatus {
	const phase = phaseOf(channels, deliveries);
	const finished = channels.every((channel) => isSettled(deliveries.find((one) => one.channel === channel)));
	const conditions = [completeCondition(phase, finished, deliveries), ...unknownCondition(deliveries), ...noted];
	return {
		phase,
		...(notification.object?.status?.channels === undefined ? { channels: [...channels] } : {}),
		deliveries: deliveries.map((delivery) => ({ ...delivery })),
		counters: {
			attempts: deliveries.reduce((sum, { attempt }) => sum + attempt, 0),
			delivered: deliveries.filter(({ state }) => state === 'Delivered').length,
			failed: deliveries.filter(({ final }) => final === true).length,
		},
		...(finished ? { completedAt: now.toISOString() } : {}),
		conditions: merged(notification.conditions, conditions, now),
	};
}

export function phaseOf(channels: readonly ChannelName[], deliveries: readonly Delivery[]): Phase {
	const entries = channels.map((channel) => deliveries.find((one) => one.channel === channel));
	const delivered = entries.filter((entry) => entry?.state === 'Delivered').length;
	if (delivered === entries.length) return 'Sent';
	if (entries.every(isSettled)) return delivered > 0 ? 'PartiallySent' : 'Failed';
	if (entries.some((entry) => entry?.state === 'Claimed')) return 'Sending';
	return entries.some((entry) => entry?.state === 'Failed' && entry.final !== true) ? 'Retrying' : 'Pending';
}

function completeCondition(phase: Phase, finished: boolean, deliveries: readonly Delivery[]): NewCondition {
	const open = deliveries.filter(({ state }) => state === 'Failed');
	const message = open
		.map(({ channel, reason, error = '' }) => `${channel}: ${reason ?? 'Failed'}: ${error}`)
		.join('\n');
	return {
		type: 'Complete',
		status: finished ? 'True' : 'False',
		reason: phase,
		message: message.slice(0, MAX_MESSAGE_LENGTH),
	};
}

/** Stays when the message was sent again: it may have arrived twice. */
function unknownCondition(deliveries: readonly Delivery[]): NewCondition[] {
	const unknown = deliveries.filter(({ reason }) => reason === 'OutcomeUnknown').map(({ channel }) => channel);
	if (unknown.length === 0) return [];
	return [
		{
			type: 'OutcomeUnknown',
			status: 'True',
			reason: 'OutcomeUnknown',
			message: `whether the message was sent is not known: ${unknown.join(', ')}`,
		},
	];
}

/** Several channels may say the same kind of thing in one write. The API server rejects a status that has a type twice. */
function oneOfEachType(conditions: readonly NewCondition[]): NewCondition[] {
	return [...Map.groupBy(conditions, ({ type }) => type).values()].map((alike) => ({
		...(alike.at(-1) as NewCondition),
		message: [...new Set(alike.map(({ message }) => message))].join('; ').slice(0, MAX_MESSAGE_LENGTH),
	}));
}

/** The time of a condition moves when its status does. */
function merged(before: readonly Condition[], now: readonly NewCondition[], at: Date): Condition[] {
	const fresh = oneOfEachType(now).map((condition) => {
		const old = before.find(({ type }) => type === condition.type);
		const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : at.toISOString();
		return { ...condition, lastTransitionTime };
	});
	return [...before.filter(({ type }) => !fresh.some((one) => one.type === type)), ...fresh];
}
