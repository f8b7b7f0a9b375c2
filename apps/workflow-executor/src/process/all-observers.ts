// One event, several observers.

// biome-ignore lint: events are whatever the observer's methods take
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
