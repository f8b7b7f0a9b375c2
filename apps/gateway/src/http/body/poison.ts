// Keys that reach for prototypes. JSON.parse makes them plain properties, but a later copy, key by key, would not.

/** Says which there is. The depth of the value is limited. */
export function poisonIn(value: unknown): string | undefined {
	if (typeof value !== 'object' || value === null) return undefined;
	if (Array.isArray(value)) return firstOf(value);
	if (Object.hasOwn(value, '__proto__')) return 'it has a key __proto__';
	if (Object.hasOwn(value, 'constructor')) {
		const { constructor } = value as { constructor: unknown };
		if (typeof constructor === 'object' && constructor !== null && Object.hasOwn(constructor, 'prototype'))
			return 'it has a key constructor.prototype';
	}
	return firstOf(Object.values(value));
}

function firstOf(values: readonly unknown[]): string | undefined {
	for (const value of values) {
		const poison = poisonIn(value);
		if (poison !== undefined) return poison;
	}
	return undefined;
}
