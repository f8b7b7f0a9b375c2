// Cuts a signal to what the CRD holds. It never rejects: half of a long annotation is better than no remediation.
import { REMEDIATION_REQUEST_LIMITS as LIMITS } from '../generated/remediation-request.ts';
import type { Signal } from './signal.ts';

type Texts = Readonly<Record<string, string>>;

/** `keepFirst`: the labels that stay when there are too many. */
export function withinLimits(signal: Signal, keepFirst: readonly string[]): Signal {
	return {
		...signal,
		name: cutText(signal.name, LIMITS['spec.signalName'].maxLength),
		severity: cutText(signal.severity, LIMITS['spec.severity'].maxLength),
		source: cutText(signal.source, LIMITS['spec.signalSource'].maxLength),
		labels: cutMap(
			signal.labels,
			LIMITS['spec.signalLabels'].maxProperties,
			LIMITS['spec.signalLabels.*'].maxLength,
			keepFirst,
		),
		annotations: cutMap(
			signal.annotations,
			LIMITS['spec.signalAnnotations'].maxProperties,
			LIMITS['spec.signalAnnotations.*'].maxLength,
			[],
		),
		payload: cutText(signal.payload, LIMITS['spec.originalPayload'].maxLength),
	};
}

/** The CRD counts characters and we count UTF-16 units, which are never fewer. No character is cut in half. */
export function cutText(text: string, maxLength: number): string {
	if (text.length <= maxLength) return text.toWellFormed();
	const endsInHalf = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
	return text.slice(0, endsInHalf ? maxLength - 1 : maxLength).toWellFormed();
}

function cutMap(map: Texts, maxProperties: number, maxLength: number, keepFirst: readonly string[]): Texts {
	const names = Object.keys(map);
	const kept =
		names.length <= maxProperties
			? names
			: [...new Set([...keepFirst.filter((name) => Object.hasOwn(map, name)), ...names.toSorted()])].slice(
					0,
					maxProperties,
				);
	return Object.fromEntries(kept.map((name) => [name.toWellFormed(), cutText(map[name] ?? '', maxLength)]));
}
