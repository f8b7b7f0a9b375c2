// The body of a webhook: its envelope, and its alerts one by one. A small body is parsed as a whole. A large one keeps its
// bytes, and each alert is parsed when it is asked for, so that not all of them are alive at once.
import { HttpProblem } from '../problem.ts';
import { sliceAlerts } from './alert-slices.ts';
import { parseJsonBody, parseJsonPart } from './json-body.ts';
import { poisonIn } from './poison.ts';

export type WebhookBody = {
	/** All fields but `alerts`. */
	readonly envelope: unknown;
	readonly count: number;
	/** Bytes of memory that it takes until it is answered. */
	readonly weight: number;
	/** Undefined for one that is too large. */
	alert(index: number): unknown;
};

/** Up to here one parse is quicker than two, and its memory does not matter. */
export const MAX_WHOLE_BYTES = 64 * 1024;
/** Of one alert, of the envelope, of an Event: objects of JSON take up to 20 times their text. */
export const MAX_PART_BYTES = 1024 * 1024;
/** An answer has a result for each. */
export const MAX_ALERTS = 50_000;

// Measured: a parsed body of usual alerts takes 3 to 5 times its bytes, one of the smallest ones 8 times. A result and its
// part of the answer take about 900 bytes.
const WEIGHT_PER_WHOLE_BYTE = 8;
const WEIGHT_PER_ALERT = 1024;

export function readWebhook(bytes: Uint8Array): WebhookBody {
	return bytes.length <= MAX_WHOLE_BYTES ? wholeBody(bytes) : slicedBody(bytes);
}

function wholeBody(bytes: Uint8Array): WebhookBody {
	const { alerts, envelope } = apart(parseJsonBody(bytes));
	return {
		envelope: checked(envelope),
		count: alerts.length,
		weight: bytes.length * WEIGHT_PER_WHOLE_BYTE + alerts.length * WEIGHT_PER_ALERT,
		alert: (index) => alerts[index],
	};
}

function slicedBody(bytes: Uint8Array): WebhookBody {
	const slices = sliceAlerts(bytes, MAX_ALERTS);
	if (slices === undefined || slices.envelope.length > MAX_PART_BYTES) {
		// Too large to be parsed for a better reason.
		const most = `more than ${MAX_PART_BYTES} bytes outside of its alerts`;
		throw HttpProblem.because('REQUEST_INVALID', `the body is no webhook: no list of alerts, or ${most}`);
	}
	const { envelope } = apart(parseJsonBody(slices.envelope));
	const { bounds } = slices;
	const count = bounds.length / 2;
	const alert = (index: number) => {
		const slice = bytes.subarray(bounds[2 * index], bounds[2 * index + 1]);
		return slice.length > MAX_PART_BYTES ? undefined : parseJsonPart(slice);
	};
	// All or nothing: what is no JSON is not stored in part.
	for (let index = 0; index < count; index++) alert(index);
	return {
		envelope: checked(envelope),
		count,
		weight: bytes.length + count * WEIGHT_PER_ALERT,
		alert,
	};
}

function apart(body: unknown): { envelope: object; alerts: unknown[] } {
	if (typeof body !== 'object' || body === null || Array.isArray(body))
		throw HttpProblem.because('REQUEST_INVALID', 'body must be object');
	const { alerts, ...envelope } = body as { alerts?: unknown };
	if (!Array.isArray(alerts)) throw HttpProblem.because('REQUEST_INVALID', 'body/alerts must be array');
	return { envelope, alerts: alerts as unknown[] };
}

function checked(envelope: object): object {
	const poison = poisonIn(envelope);
	if (poison !== undefined) throw HttpProblem.because('REQUEST_INVALID', `the body is not safe: ${poison}`);
	return envelope;
}
