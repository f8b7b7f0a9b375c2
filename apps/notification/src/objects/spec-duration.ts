// Durations as the CRDs write them: 30m, 1h30m, 500ms.

const UNITS_MS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Undefined for what the CRD would have refused. */
export function parseSpecDuration(text: string): number | undefined {
	if (!/^(\d{1,5}(h|ms|m|s)){1,4}$/.test(text)) return undefined;
	let milliseconds = 0;
	for (const [, amount, unit] of text.matchAll(/(\d+)(ms|h|m|s)/g))
		milliseconds += Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS];
	return milliseconds;
}

export function toSpecDuration(milliseconds: number): string {
	let rest = Math.max(0, Math.round(milliseconds));
	let text = '';
	for (const [unit, unitMs] of Object.entries(UNITS_MS)) {
		const amount = Math.floor(rest / unitMs);
		rest -= amount * unitMs;
		if (amount > 0) text += `${amount}${unit}`;
	}
	return text === '' ? '0s' : text;
}
