// One way to people, as the delivery protocol sees it: it sends once and says how that ended. It claims nothing, repeats
// nothing and keeps no record; all of that is the protocol's.
import type { NotificationRequestChannel } from '../generated/notification-request.ts';
import type { Message } from '../message/message.ts';
import type { Clock } from '../process/clock.ts';
import type { ConfigKeys, ConfigOf } from '../process/config-loader.ts';
import type { Log } from '../process/log.ts';
import type { TargetOptions } from './target/connect-target.ts';

export type ChannelName = NotificationRequestChannel;

/** Why a send did not end as delivered: a closed set, because status, Events and metrics carry it. */
export const SEND_REASONS = [
	/** The channel is not set up; the detail names the configuration key. */
	'NotConfigured',
	/** A mounted credential cannot be read, or is not what the channel needs. */
	'CredentialsInvalid',
	/** The target is a private, loopback or link-local address that the configuration does not allow. */
	'AddressNotAllowed',
	/** No connection: the name is not resolved, the port is closed, or connecting took too long. */
	'Unreachable',
	/** TLS is missing or its certificate is not trusted. */
	'TlsFailed',
	/** The receiver asks to send less (429). */
	'Throttled',
	/** The receiver has a fault of its own, or asks to come again. */
	'ReceiverUnavailable',
	/** The receiver does not take this message or these credentials. */
	'RejectedByReceiver',
	/** A mail server took the message for some of the recipients. */
	'SomeRecipientsRejected',
	/** The message was written, and no answer that can be trusted came. */
	'NoAnswer',
	/** The time of the claim was over while the message was sent. */
	'Aborted',
	/** Something on this machine: the disk is full, the directory is not writable. */
	'LocalFault',
] as const;
export type DeliveryReason = (typeof SEND_REASONS)[number];

/**
 * `refused-*`: surely not sent. `unknown`: it may have been sent. `detail` is for people; it holds no secret and no text of
 * the receiver that was not sanitised.
 */
export type SendEnd =
	| { readonly end: 'delivered'; readonly detail?: string }
	| {
			readonly end: 'refused-for-now';
			readonly reason: DeliveryReason;
			readonly detail: string;
			readonly retryAfterMs?: number;
			/** The recipients that have not got the message; the others have. */
			readonly remaining?: readonly string[];
	  }
	| {
			readonly end: 'refused-for-good';
			readonly reason: DeliveryReason;
			readonly detail: string;
			readonly remaining?: readonly string[];
	  }
	| { readonly end: 'unknown'; readonly reason: DeliveryReason; readonly detail: string };

export type SendOptions = {
	readonly abort: AbortSignal;
	/** The same for all attempts of one message on one channel. */
	readonly idempotencyKey: string;
	/** Recipients that a former attempt left; absent: all of them. */
	readonly remaining?: readonly string[];
};

export type Channel = {
	readonly name: ChannelName;
	/** The configuration key that sets the channel up, for the words of a refusal. */
	readonly key: string;
	/** Names the receiver (workspace, mail server, webhook host) for pace and breaker; never a secret. Undefined: not set up. */
	receiver(): string | undefined;
	/** Never rejects. Ends soon after the abort. */
	send(message: Message, options: SendOptions): Promise<SendEnd>;
	/** Closes kept connections. */
	close?(): Promise<void>;
};

/** What channels are made of. */
export type ChannelParts = {
	readonly log: Log;
	readonly clock: Pick<Clock, 'wallTime'>;
	readonly target: TargetOptions;
	/** Ends waits that no abort ends, such as the end of an idle connection. */
	readonly sendTimeoutMs: number;
};

/** All that there is to say about one channel: a row of channels.ts. */
export type ChannelRow<K extends ConfigKeys> = {
	readonly keys: K;
	/** A sentence for each mistake in its configuration, with the key, the value and what is allowed. */
	problems(config: ConfigOf<K>): readonly string[];
	create(config: ConfigOf<K>, parts: ChannelParts): Channel;
};

export function channelRow<K extends ConfigKeys>(row: ChannelRow<K>): ChannelRow<K> {
	return row;
}

export function notSetUp(key: string): SendEnd {
	return { end: 'refused-for-now', reason: 'NotConfigured', detail: `the channel is not set up: set ${key}` };
}

export function credentialsInvalid(key: string, problem: string): SendEnd {
	return { end: 'refused-for-now', reason: 'CredentialsInvalid', detail: `${key}: ${problem}` };
}
