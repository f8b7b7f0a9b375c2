// Labels and annotations of the active requests, up to a total of bytes: requests may be many, and their texts long. A
// request that comes when the budget is used up is kept without its texts, and says so; act/missing-texts.ts reads them
// when a decision needs them.
import { isActive, NO_TEXTS, type Remediation, type Signal } from './remediation.ts';

/** The whole signal: all versions of a request share it, so that what is computed from it can be remembered by it. */
type Kept = { readonly signal: Signal; readonly bytes: number };

export class SignalTexts {
	readonly #maxBytes: number;
	/** By uid: a spec never changes, so that the texts of all versions of a request are the same. */
	readonly #kept = new Map<string, Kept>();
	#bytes = 0;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	get bytes(): number {
		return this.#bytes;
	}

	/** The request as it is to be kept. A version that comes later shares the texts of the one before. */
	keep(request: Remediation): Remediation {
		if (!isActive(request)) return withoutTexts(request);
		const kept = this.#kept.get(request.uid) ?? this.#take(request);
		return kept === undefined ? withoutTexts(request) : withTexts(request, kept.signal);
	}

	drop(uid: string): void {
		this.#bytes -= this.#kept.get(uid)?.bytes ?? 0;
		this.#kept.delete(uid);
	}

	dropUnless(isKnown: (uid: string) => boolean): void {
		for (const uid of this.#kept.keys()) if (!isKnown(uid)) this.drop(uid);
	}

	#take({ uid, hasTexts, signal }: Remediation): Kept | undefined {
		const bytes = bytesOf(signal.labels) + bytesOf(signal.annotations);
		if (!hasTexts || this.#bytes + bytes > this.#maxBytes) return undefined;
		const kept = { signal, bytes };
		this.#kept.set(uid, kept);
		this.#bytes += bytes;
		return kept;
	}
}

/** `signal`: the request's own, with its texts. */
export function withTexts(request: Remediation, signal: Signal): Remediation {
	return { ...request, signal, hasTexts: true };
}

function withoutTexts(request: Remediation): Remediation {
	if (!request.hasTexts) return request;
	return { ...request, signal: { ...request.signal, labels: NO_TEXTS, annotations: NO_TEXTS }, hasTexts: false };
}

// What an entry of an object takes beside its characters, roughly.
const ENTRY_BYTES = 64;

/** At least what the strings take in memory. */
function bytesOf(texts: Readonly<Record<string, string>>): number {
	let bytes = 0;
	for (const [name, text] of Object.entries(texts))
		bytes += Buffer.byteLength(name) + Buffer.byteLength(text) + ENTRY_BYTES;
	return bytes;
}
