import { createHash } from 'node:crypto';

/** The same for all attempts, in the characters that every header takes. */
export function messageId(idempotencyKey: string): string {
	return `msg_${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32)}`;
}
