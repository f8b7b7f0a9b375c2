// What an HTTP exchange says about a message, as far as all receivers agree.
import type { SendEnd } from '../channel.ts';
import type { HttpAnswer, PostResult } from './http-post.ts';

/** A receiver cannot hold a message back for longer; it is asked again then. */
export const MAX_RETRY_AFTER_MS = 3_600_000;

/** 502 and 504 come from a proxy that may have passed the message on. */
const UNKNOWN = new Set([502, 504]);
const FOR_NOW = new Set([408, 425, 429]);

/** `delivered`: what the receiver's own success is. `word`: its word for a refusal, when it may be shown. */
export function httpEnd(
	posted: PostResult,
	wallTime: Date,
	receiver: { delivered(answer: HttpAnswer): boolean; word?(answer: HttpAnswer): string | undefined },
): SendEnd {
	if (posted.result === 'not-sent')
		return { end: 'refused-for-now', reason: posted.error.reason, detail: posted.error.message };
	if (posted.result === 'no-answer')
		return { end: 'unknown', reason: posted.aborted ? 'Aborted' : 'NoAnswer', detail: posted.detail };
	const { answer } = posted;
	const { status } = answer;
	if (receiver.delivered(answer)) return { end: 'delivered' };
	const word = receiver.word?.(answer);
	const detail = `answered ${status}${word === undefined ? '' : ` (${word})`}`;
	if (status >= 200 && status < 300)
		return { end: 'unknown', reason: 'NoAnswer', detail: `${detail} without the words of a success` };
	if (UNKNOWN.has(status)) return { end: 'unknown', reason: 'NoAnswer', detail: `${detail}: a proxy had no answer` };
	if (FOR_NOW.has(status) || status >= 500) {
		const retryAfterMs = retryAfter(answer, wallTime);
		return {
			end: 'refused-for-now',
			reason: status === 429 ? 'Throttled' : 'ReceiverUnavailable',
			detail,
			...(retryAfterMs === undefined ? {} : { retryAfterMs }),
		};
	}
	const redirected = status >= 300 && status < 400;
	return {
		end: 'refused-for-good',
		reason: 'RejectedByReceiver',
		detail: redirected ? `${detail}: redirects are not followed` : detail,
	};
}

/** Seconds, or a time that is compared with the receiver's own clock where it says what that is. */
function retryAfter({ headers }: HttpAnswer, wallTime: Date): number | undefined {
	const value = headers['retry-after'];
	if (typeof value !== 'string') return undefined;
	const now = typeof headers['date'] === 'string' ? Date.parse(headers['date']) : Number.NaN;
	const waitMs = /^\s*\d{1,9}\s*$/.test(value)
		? Number(value) * 1000
		: Date.parse(value) - (Number.isNaN(now) ? wallTime.getTime() : now);
	return Number.isFinite(waitMs) && waitMs > 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : undefined;
}
