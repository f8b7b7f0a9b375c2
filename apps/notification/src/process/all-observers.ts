// One observer that passes each event on to several.

// biome-ignore lint: the parameters differ from method to method
type Observer = Record<string, (...event: any[]) => void>;

export function allOf<T extends Observer>(first: T, ...others: readonly T[]): T {
	const observers = [first, ...others];
	return Object.fromEntries(
		Object.keys(first).map((name) => [
			name,
			(...event: unknown[]) => {
				for (const observer of observers) observer[name]?.(...event);
			},
		]),
	) as T;
}
