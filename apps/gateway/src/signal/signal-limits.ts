// Cuts a signal to what the CRD holds, and to 32 KiB in all: every replica of every app reads what is stored. It never
// rejects: half of a long annotation is better than no remediation.
// Order, when it does not all fit: the identifying labels, the other labels, the annotations, the payload; inside each the
// short texts first, so that one long text displaces nothing but itself.
import { REMEDIATION_REQUEST_LIMITS as LIMITS } from '../generated/remediation-request.ts';
import type { Signal } from './signal.ts';

type Texts = Readonly<Record<string, string>>;
type MapLimits = { readonly maxProperties: number; readonly maxLength: number };

/** Bytes of UTF-8 of name, labels, annotations and payload together. */
export const MAX_STORED_BYTES = 32 * 1024;
/** Names of labels and annotations; the CRD does not limit them. */
const MAX_KEY_LENGTH = 256;
/** Of an identifying label: twice as long as any name, and fifty of them fit. */
const MAX_IDENTIFYING_LENGTH = 512;

const NONE: ReadonlySet<string> = new Set();
const LABEL_LIMITS: MapLimits = { ...LIMITS['spec.signalLabels'], ...LIMITS['spec.signalLabels.*'] };
const ANNOTATION_LIMITS: MapLimits = { ...LIMITS['spec.signalAnnotations'], ...LIMITS['spec.signalAnnotations.*'] };

/** `keepFirst`: the labels that stay when there are too many. */
export function withinLimits(signal: Signal, keepFirst: ReadonlySet<string> = NONE): Signal {
	const name = cutText(signal.name, LIMITS['spec.signalName'].maxLength);
	let left = MAX_STORED_BYTES - Buffer.byteLength(name);
	const labels = cutMap(signal.labels, LABEL_LIMITS, left, keepFirst);
	left -= labels.bytes;
	const annotations = cutMap(signal.annotations, ANNOTATION_LIMITS, left, NONE);
	left -= annotations.bytes;
	return {
		...signal,
		name,
		severity: cutText(signal.severity, LIMITS['spec.severity'].maxLength),
		source: cutText(signal.source, LIMITS['spec.signalSource'].maxLength),
		labels: labels.texts,
		annotations: annotations.texts,
		...(signal.payload === undefined
			? {}
			: { payload: cutBytes(cutText(signal.payload, LIMITS['spec.originalPayload'].maxLength), left) }),
	};
}

/** The CRD counts characters and we count UTF-16 units, which are never fewer. No character is cut in half. */
export function cutText(text: string, maxLength: number): string {
	if (text.length <= maxLength) return text.toWellFormed();
	const endsInHalf = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
	return text.slice(0, endsInHalf ? maxLength - 1 : maxLength).toWellFormed();
}

/** To this many bytes of UTF-8. No character is cut in half. */
export function cutBytes(text: string, maxBytes: number): string {
	if (text.length * 3 <= maxBytes) return text;
	const bytes = Buffer.from(text);
	if (bytes.length <= maxBytes) return text;
	let end = Math.max(0, maxBytes);
	while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--; // inside a character
	return bytes.toString('utf8', 0, end);
}

function cutMap(
	map: Texts,
	{ maxProperties, maxLength }: MapLimits,
	maxBytes: number,
	keepFirst: ReadonlySet<string>,
): { texts: Texts; bytes: number } {
	const texts: [string, string][] = [];
	const keys = new Set<string>();
	let bytes = 0;
	for (const name of inOrder(map, maxProperties, maxBytes, keepFirst)) {
		if (texts.length === maxProperties) break;
		const key = cutText(name, MAX_KEY_LENGTH);
		const room = maxBytes - bytes - Buffer.byteLength(key);
		if (room < 0 || keys.has(key)) continue;
		const text = cutText(map[name] ?? '', keepFirst.has(name) ? MAX_IDENTIFYING_LENGTH : maxLength);
		const value = cutBytes(text, room);
		bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
		keys.add(key);
		texts.push([key, value]);
	}
	return { texts: Object.fromEntries(texts), bytes };
}

/** As they came when all of them fit for certain. */
function inOrder(
	map: Texts,
	maxProperties: number,
	maxBytes: number,
	keepFirst: ReadonlySet<string>,
): readonly string[] {
	const names = Object.keys(map);
	const mostBytes = names.reduce((sum, name) => sum + 3 * (name.length + (map[name]?.length ?? 0)), 0);
	if (names.length <= maxProperties && mostBytes <= maxBytes) return names;
	const size = (name: string) => name.length + (map[name]?.length ?? 0);
	const kept = [...keepFirst].filter((name) => Object.hasOwn(map, name));
	const rest = names.filter((name) => !keepFirst.has(name));
	return [...kept, ...rest.toSorted((a, b) => size(a) - size(b) || (a < b ? -1 : 1))];
}
