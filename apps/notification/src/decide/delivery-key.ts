// The key of a message on a channel: the same in every cluster that sees the same incident. A template over `spec.context`;
// with a variable that is not there, the key of the uid, which no other cluster has: rather twice than lost.
// The cause, not the type: "No matching workflow" and "Remediation failed" of one incident are both Escalations. With its
// digest, because a request may ask a second question. The chain: an alert that keeps firing has a second remediation, and
// its news are other news.
import type { NotificationRequestSpec } from '../generated/notification-request.ts';
import type { ChannelName } from '../objects/notification.ts';

export const DEFAULT_KEY_TEMPLATE = '{signalFingerprint}/{firingTime}/{chain}/{cause}/{channel}';

export type DeliveryKey = {
	readonly key: string;
	/** The variable that is missing: the key is that of the uid. */
	readonly missing?: string;
};

type KeyedMessage = Pick<NotificationRequestSpec, 'type' | 'priority' | 'context'>;

const VARIABLE = /\{([A-Za-z0-9_.\-/]+)\}/g;

export function uidKey(uid: string, channel: ChannelName): string {
	return `${uid}-${channel}`;
}

export function deliveryKey(template: string, uid: string, message: KeyedMessage, channel: ChannelName): DeliveryKey {
	let missing: string | undefined;
	const key = template.replaceAll(VARIABLE, (_, variable: string) => {
		const value = valueOf(variable, message, channel);
		if (value === undefined) missing ??= variable;
		return encodeURIComponent(value ?? '');
	});
	return missing === undefined ? { key } : { key: uidKey(uid, channel), missing };
}

/** A sentence when two channels of one message would have the same key. */
export function keyTemplateProblem(template: string): string | undefined {
	return template.includes('{channel}')
		? undefined
		: `${JSON.stringify(template)} lacks {channel}: the channels of a message would count as one`;
}

/** With its digest: a second question of one request is other news than the first. */
function causeOf({ cause, causeDigest }: NonNullable<KeyedMessage['context']>): string | undefined {
	return cause === undefined || causeDigest === undefined ? cause : `${cause} ${causeDigest}`;
}

function valueOf(
	variable: string,
	{ type, priority, context = {} }: KeyedMessage,
	channel: ChannelName,
): string | undefined {
	if (variable.startsWith('labels.')) return context.labels?.[variable.slice('labels.'.length)];
	switch (variable) {
		case 'channel':
			return channel;
		case 'type':
			return type;
		case 'priority':
			return priority;
		case 'cause':
			return causeOf(context);
		case 'causeDigest':
		case 'signalName':
		case 'severity':
		case 'signalFingerprint':
		case 'targetResource':
		case 'workflow':
		case 'execution':
		case 'outcome':
			return context[variable];
		case 'firingTime':
			// As every cluster writes it, with or without a fraction.
			return context.firingTime === undefined ? undefined : new Date(context.firingTime).toISOString();
		case 'chain':
			return context.chain === undefined ? undefined : String(context.chain);
		default:
			return undefined;
	}
}
