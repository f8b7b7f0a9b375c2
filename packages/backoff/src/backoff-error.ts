import { inspect } from 'node:util';

export const BACKOFF_ERROR_CODES = [
	'BACKOFF_CONFIG_INVALID',
	'BACKOFF_ATTEMPT_INVALID',
	'BACKOFF_MAX_ATTEMPTS_INVALID',
	'BACKOFF_DELAY_INVALID',
	'BACKOFF_RANDOM_INVALID',
] as const;

export type BackoffErrorCode = (typeof BACKOFF_ERROR_CODES)[number];

/** A caller's mistake, never an outcome of waiting: the message names the key, its value and the rule it breaks. */
export class BackoffError extends Error {
	override readonly name = 'BackoffError';
	readonly code: BackoffErrorCode;
	readonly key: string;
	readonly value: unknown;

	constructor(code: BackoffErrorCode, key: string, value: unknown, rule: string) {
		super(`${key} is ${inspect(value)}: ${rule}`);
		this.code = code;
		this.key = key;
		this.value = value;
	}
}
