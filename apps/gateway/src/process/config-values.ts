// The kinds of values that a configuration key can have. Each parses text, as the environment has it, and numbers also as
// YAML has them, and describes what it allows.

export type Value<T> = {
	readonly allowed: string;
	/** Undefined: not allowed. */
	parse(raw: unknown): T | undefined;
};

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
// A timer waits 2^31 ms at most; with a longer time it fires at once.
const MAX_HOURS = 576;

export const text: Value<string> = {
	allowed: 'text that is not empty',
	parse: (raw) => (typeof raw === 'string' && raw.trim() !== '' ? raw.trim() : undefined),
};

export const port: Value<number> = {
	allowed: 'a port, 1 to 65535',
	parse: (raw) => parseWholeNumber(raw, 1, 65_535),
};

/** In milliseconds inside; written like 250ms, 30s, 5m or 1h. */
export const duration: Value<number> = durationOf(0);

/** For times that make no sense at zero, such as a time limit. */
export const durationAboveZero: Value<number> = durationOf(1);

function durationOf(minMs: number): Value<number> {
	return {
		allowed: `a duration like 250ms, 30s, 5m or 1h,${minMs > 0 ? ' above zero,' : ''} at most ${MAX_HOURS}h`,
		parse(raw) {
			const match = typeof raw === 'string' ? /^(\d+)(ms|s|m|h)$/.exec(raw.trim()) : null;
			if (match === null) return undefined;
			const milliseconds = Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS];
			return milliseconds >= minMs && milliseconds <= MAX_HOURS * UNITS_MS.h ? milliseconds : undefined;
		},
	};
}

export function wholeNumber(min: number, max: number): Value<number> {
	return {
		allowed: `a whole number, ${min} to ${max}`,
		parse: (raw) => parseWholeNumber(raw, min, max),
	};
}

export function oneOf<const T extends string>(...values: readonly T[]): Value<T> {
	return {
		allowed: `one of ${values.join(', ')}`,
		parse: (raw) => values.find((value) => value === raw),
	};
}

/** Separated by commas, each at most once. */
export function someOf<const T extends string>(...values: readonly T[]): Value<readonly T[]> {
	return {
		allowed: `one or more of ${values.join(', ')}, separated by commas`,
		parse(raw) {
			const words = typeof raw === 'string' ? raw.split(',').map((word) => word.trim()) : [];
			const known = values.filter((value) => words.includes(value));
			return known.length > 0 && known.length === words.length ? known : undefined;
		},
	};
}

/** Separated by commas, or a list of the file. */
export const textList: Value<readonly string[]> = {
	allowed: 'one or more texts, separated by commas',
	parse(raw) {
		const texts = (Array.isArray(raw) ? raw : [raw]).flatMap((one: unknown) =>
			typeof one === 'string' ? one.split(',').map((word) => word.trim()) : [''],
		);
		return texts.length > 0 && !texts.includes('') ? texts : undefined;
	},
};

function parseWholeNumber(raw: unknown, min: number, max: number): number | undefined {
	const number =
		typeof raw === 'number' ? raw : typeof raw === 'string' && /^\d+$/.test(raw.trim()) ? Number(raw) : undefined;
	return number !== undefined && Number.isInteger(number) && number >= min && number <= max ? number : undefined;
}
