// Bytes to JSON. Rejects everything that could do harm later: text that is not UTF-8, nesting that overflows a stack,
// keys that reach for prototypes.
import { HttpProblem } from './problem.ts';

const MAX_DEPTH = 64;

const MAY_BE_POISON = /__proto__|constructor|\\u/;

const decoder = new TextDecoder('utf-8', { fatal: true });

export function parseJsonBody(bytes: Uint8Array): unknown {
	if (bytes.length === 0) throw HttpProblem.because('REQUEST_INVALID', 'the body is empty');
	if (depthOf(bytes) > MAX_DEPTH)
		throw HttpProblem.because('REQUEST_INVALID', `the body nests deeper than ${MAX_DEPTH} levels`);
	const text = decode(bytes);
	try {
		// A check of every key takes longer than parsing; a backslash may hide one.
		return MAY_BE_POISON.test(text) ? JSON.parse(text, rejectPoison) : JSON.parse(text);
	} catch (error) {
		if (error instanceof HttpProblem) throw error;
		// The parser's message quotes the body: it stays here.
		throw HttpProblem.because('REQUEST_INVALID', 'the body is not JSON');
	}
}

function decode(bytes: Uint8Array): string {
	try {
		return decoder.decode(bytes);
	} catch {
		throw HttpProblem.because('REQUEST_INVALID', 'the body is not UTF-8');
	}
}

function rejectPoison(this: unknown, key: string, value: unknown): unknown {
	if (key === '__proto__') throw HttpProblem.because('REQUEST_INVALID', 'the body has a key __proto__');
	if (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
		throw HttpProblem.because('REQUEST_INVALID', 'the body has a key constructor.prototype');
	return value;
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
