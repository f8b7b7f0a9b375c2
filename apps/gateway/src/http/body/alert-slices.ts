// Where the alerts of a large webhook body lie, found without parsing it: parsed as a whole, a body of small alerts takes
// many times its bytes. Together with a parse of the envelope and of each slice this accepts what a parse of the whole does.
import { MAX_DEPTH, tooDeep } from './json-body.ts';

export type AlertSlices = {
	/** The body with an empty list of alerts. */
	readonly envelope: Uint8Array;
	/** Begin and end of each alert, in turn. */
	readonly bounds: Uint32Array;
};

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const KEY = Buffer.from('"alerts"');

/** Undefined when there is no list of alerts at the top. */
export function sliceAlerts(bytes: Uint8Array): AlertSlices | undefined {
	const kept: Uint8Array[] = [];
	let keptFrom = 0;
	let bounds: number[] | undefined;
	let depth = 0;
	let inString = false;
	let stringFrom = 0;
	let stringTo = 0;
	let isAlerts = false; // the key before the present value, at the top
	let inAlerts = false;
	let from = 0; // of the present alert
	const endAlert = (to: number, last: boolean) => {
		const [start, end] = trimmed(bytes, from, to);
		// A list may be empty; an alert between two commas may not, and fails to parse.
		if (!last || start < end || bounds!.length > 0) bounds!.push(start, end);
	};
	for (let index = 0; index < bytes.length; index++) {
		const byte = bytes[index];
		if (inString) {
			if (byte === BACKSLASH) index++;
			else if (byte === QUOTE) {
				inString = false;
				stringTo = index + 1;
			}
		} else if (byte === QUOTE) {
			inString = true;
			stringFrom = index;
		} else if (byte === 0x5b || byte === 0x7b) {
			if (++depth > MAX_DEPTH) throw tooDeep();
			if (depth === 2 && isAlerts && byte === 0x5b) {
				inAlerts = true;
				bounds = []; // of two lists JSON takes the last
				kept.push(bytes.subarray(keptFrom, index + 1));
				from = index + 1;
			}
			isAlerts = false;
		} else if (byte === 0x5d || byte === 0x7d) {
			depth--;
			if (depth === 1 && inAlerts) {
				endAlert(index, true);
				inAlerts = false;
				keptFrom = index;
			}
		} else if (byte === COMMA) {
			if (depth === 2 && inAlerts) {
				endAlert(index, false);
				from = index + 1;
			}
		} else if (byte === COLON && depth === 1) isAlerts = KEY.equals(bytes.subarray(stringFrom, stringTo));
	}
	if (bounds === undefined || inAlerts) return undefined;
	kept.push(bytes.subarray(keptFrom));
	return { envelope: Buffer.concat(kept), bounds: Uint32Array.from(bounds) };
}

function trimmed(bytes: Uint8Array, from: number, to: number): [from: number, to: number] {
	let [start, end] = [from, to];
	while (start < end && isBlank(bytes[start])) start++;
	while (end > start && isBlank(bytes[end - 1])) end--;
	return [start, end];
}

function isBlank(byte: number | undefined): boolean {
	return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
