// The sizes that the API server enforces, for apps that must cut what they receive before they write it.
import type { Schema } from './crd.ts';

const SIZES = ['maxLength', 'maxItems', 'maxProperties'] as const;

type Limits = Record<string, Partial<Record<(typeof SIZES)[number], number>>>;

/** By path; `[]` stands for the items of a list and `*` for the values of a map. */
export function limitsOf(schema: Schema, path = ''): Limits {
	const own = Object.fromEntries(SIZES.flatMap((size) => (schema[size] === undefined ? [] : [[size, schema[size]]])));
	const limits: Limits = Object.keys(own).length > 0 ? { [path]: own } : {};
	for (const [name, property] of Object.entries(schema.properties ?? {}))
		Object.assign(limits, limitsOf(property, path === '' ? name : `${path}.${name}`));
	if (schema.items) Object.assign(limits, limitsOf(schema.items, `${path}[]`));
	if (schema.additionalProperties) Object.assign(limits, limitsOf(schema.additionalProperties, `${path}.*`));
	return limits;
}
