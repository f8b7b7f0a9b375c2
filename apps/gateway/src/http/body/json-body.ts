// Bytes to JSON. Rejects everything that could do harm later: text that is not UTF-8, nesting that overflows a stack.
// Keys that reach for prototypes are looked for by the caller, which knows how much of a body to reject for one.
import { HttpProblem } from '../problem.ts';

export const MAX_DEPTH = 64;

const decoder = new TextDecoder('utf-8', { fatal: true });
/** A byte order mark is allowed at the beginning of a body only. */
const partDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A whole body. */
export function parseJsonBody(bytes: Uint8Array): unknown {
	if (bytes.length === 0) throw HttpProblem.because('REQUEST_INVALID', 'the body is empty');
	if (depthOf(bytes) > MAX_DEPTH) throw tooDeep();
	return parse(decode(decoder, bytes));
}

/** A part of a body whose depth is known. */
export function parseJsonPart(bytes: Uint8Array): unknown {
	return parse(decode(partDecoder, bytes));
}

export function tooDeep(): HttpProblem {
	return HttpProblem.because('REQUEST_INVALID', `the body nests deeper than ${MAX_DEPTH} levels`);
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// The parser's message quotes the body: it stays here.
		throw HttpProblem.because('REQUEST_INVALID', 'the body is not JSON');
	}
}

function decode(by: InstanceType<typeof TextDecoder>, bytes: Uint8Array): string {
	try {
		return by.decode(bytes);
	} catch {
		throw HttpProblem.because('REQUEST_INVALID', 'the body is not UTF-8');
	}
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Before parsing, and without recursion: brackets outside of strings. */
function depthOf(bytes: Uint8Array): number {
	let depth = 0;
	let deepest = 0;
	let inString = false;
	for (let index = 0; index < bytes.length; index++) {
		const byte = bytes[index];
		if (inString) {
			if (byte === BACKSLASH) index++;
			else if (byte === QUOTE) inString = false;
		} else if (byte === QUOTE) inString = true;
		else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
		else if (byte === 0x5d || byte === 0x7d) depth--;
	}
	return deepest;
}
