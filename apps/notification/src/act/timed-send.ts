// One send within its time. The check comes right before it, on the clock and not on a timer: a process that stood still
// since it claimed must not send any more. At the deadline the send is aborted.
import type { Channel, SendEnd } from '../channels/channel.ts';
import type { ClaimEnd } from '../decide/delivery-entry.ts';
import type { Message } from '../message/message.ts';
import type { Clock } from '../process/clock.ts';

export type TimedSend = {
	readonly channel: Channel;
	readonly message: Message;
	readonly idempotencyKey: string;
	readonly remaining?: readonly string[] | undefined;
	readonly sendTimeoutMs: number;
	/** On the monotonic clock: later the claim may be another's. */
	readonly deadline: number;
	readonly clock: Pick<Clock, 'now' | 'setTimer'>;
};

/** A channel that does not end after its abort is left behind. */
const ABORT_GRACE_MS = 1000;

export async function sendInTime(send: TimedSend): Promise<ClaimEnd> {
	const { channel, message, idempotencyKey, remaining, sendTimeoutMs, deadline, clock } = send;
	const leftMs = Math.min(sendTimeoutMs, deadline - clock.now());
	if (leftMs <= 0) return { end: 'given-back', detail: 'the time of the claim was over before the message was sent' };
	const abort = new AbortController();
	const { promise: abandoned, resolve: abandon } = Promise.withResolvers<SendEnd>();
	let cancelGrace = () => {};
	const cancelTimer = clock.setTimer(() => {
		abort.abort(new Error(`not sent within ${Math.round(leftMs)} ms`));
		const left: SendEnd = {
			end: 'unknown',
			reason: 'Aborted',
			detail: 'the channel did not end after its time was over',
		};
		cancelGrace = clock.setTimer(() => abandon(left), ABORT_GRACE_MS);
	}, leftMs);
	try {
		const options = { abort: abort.signal, idempotencyKey, ...(remaining === undefined ? {} : { remaining }) };
		return await Promise.race([channel.send(message, options), abandoned]);
	} catch {
		// Channels report every end as a value. The words of this fault may hold anything, so they are not repeated.
		return { end: 'unknown', reason: 'LocalFault', detail: 'the channel failed in a way that it does not know' };
	} finally {
		cancelTimer();
		cancelGrace();
	}
}
