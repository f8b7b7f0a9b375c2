// The only way from a NotificationRequest to a Message, so that nothing leaves unsanitised. Labels included: they are free
// text of an alert.
import type { Message, MessageContext, MessagePriority, MessageType } from './message.ts';
import { sanitise, sanitiseNamed } from './sanitise.ts';

/** What a message is made from; every NotificationRequest is one. */
export type Notifiable = {
	readonly metadata: {
		readonly uid?: string;
		readonly namespace?: string;
		readonly name?: string;
		readonly creationTimestamp?: string;
	};
	readonly spec: {
		readonly type: MessageType;
		readonly priority: MessagePriority;
		readonly subject: string;
		readonly body: string;
		readonly remediationRequestRef?: { readonly name: string };
		readonly context?: MessageContext;
	};
};

export function messageOf({ metadata, spec }: Notifiable): Message {
	const { type, priority, subject, body, remediationRequestRef, context = {} } = spec;
	const { uid = '', namespace = '', name = '', creationTimestamp = '' } = metadata;
	return {
		uid,
		namespace,
		name,
		createdAt: creationTimestamp,
		...(remediationRequestRef === undefined ? {} : { request: remediationRequestRef.name }),
		type,
		priority,
		subject: sanitise(subject),
		body: sanitise(body),
		context: sanitisedContext(context),
	};
}

function sanitisedContext(context: MessageContext): MessageContext {
	return Object.fromEntries(
		Object.entries(context).map(([name, value]: [string, MessageContext[keyof MessageContext]]) => [
			name,
			typeof value === 'string' ? sanitise(value) : typeof value === 'object' ? sanitiseNamed(value) : value,
		]),
	);
}
