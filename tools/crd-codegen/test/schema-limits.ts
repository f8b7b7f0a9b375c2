// Every plain limit of a schema (type, required, enum, lengths, pattern, bounds, sizes, formats, uniqueness), each with
// a way to break it in a good object. CEL rules are not here: their bad objects are written by hand, in cases/.
//
// A keyword that is not known here is an error: a new kind of limit must not pass by unexamined.
import type { Schema } from '../src/crd.ts';
import type { Cause } from './api.ts';

interface Limit {
	/** Keys from the root; `[]` stands for the items of a list and `*` for the values of a map. */
	path: readonly string[];
	/** For example `maxLength 64`. */
	rule: string;
	/** A value that breaks the limit, made from one that keeps it. `undefined` removes the field. */
	breaking(good: any): unknown;
	/** What the refusal says about it, besides the field. */
	wantMessage: RegExp;
	/** What the refusal adds to the field's path. */
	blames: string;
}

interface BadObject {
	/** The field that the refusal must name, as the API server spells it. */
	field: string;
	object: any;
}

type Breaking = Pick<Limit, 'breaking' | 'wantMessage'> & { blames?: string };

const OF_ANOTHER_TYPE = { object: 'text', array: 'text', string: 7, integer: 'text', number: 'text', boolean: 'text' };
const MISFITS = [' ', '/', '', '-'];

/** How each keyword is broken; no entry for a value that cannot be broken. */
const KEYWORDS: Record<string, (schema: any) => Breaking | undefined> = {
	type: ({ type, format }: Required<Schema>) => ({
		breaking: () => OF_ANOTHER_TYPE[type],
		wantMessage: new RegExp(`must be of type ${format === 'date-time' ? format : type}: `),
	}),
	enum: ({ enum: words }: Required<Schema>) => ({
		breaking: () => `not-${words[0]}`,
		wantMessage: literally(`supported values: "${words.join('", "')}"`),
	}),
	pattern: ({ pattern }: Required<Schema>) => ({
		breaking: () => misfit(pattern),
		wantMessage: literally(`should match '${pattern}'`),
	}),
	minLength: ({ minLength }: Required<Schema>) => ({
		breaking: () => 'x'.repeat(minLength - 1),
		wantMessage: literally(`should be at least ${minLength} chars long`),
	}),
	maxLength: ({ maxLength }: Required<Schema>) => ({
		breaking: () => 'x'.repeat(maxLength + 1),
		wantMessage: new RegExp(`Too long: may not be more than ${maxLength}\\b`),
	}),
	minimum: ({ minimum }: Required<Schema>) => ({
		breaking: () => minimum - 1,
		wantMessage: new RegExp(`should be greater than or equal to ${minimum}$`),
	}),
	maximum: ({ maximum }: Required<Schema>) => ({
		breaking: () => maximum + 1,
		wantMessage: new RegExp(`should be less than or equal to ${maximum}$`),
	}),
	minItems: ({ minItems }: Required<Schema>) => ({
		breaking: (items: unknown[]) => items.slice(0, minItems - 1),
		wantMessage: literally(`should have at least ${minItems} items`),
	}),
	maxItems: ({ maxItems }: Required<Schema>) => ({
		breaking: ([item]: unknown[]) => Array.from({ length: maxItems + 1 }, () => item),
		wantMessage: literally(`must have at most ${maxItems} items`),
	}),
	minProperties: ({ minProperties }: Required<Schema>) => ({
		breaking: (map: object) => Object.fromEntries(Object.entries(map).slice(0, minProperties - 1)),
		wantMessage: literally(`should have at least ${minProperties} properties`),
	}),
	maxProperties: ({ maxProperties }: Required<Schema>) => ({
		breaking: (map: object) => {
			const [value] = Object.values(map) as unknown[];
			return Object.fromEntries(Array.from({ length: maxProperties + 1 }, (_, index) => [`key-${index}`, value]));
		},
		wantMessage: literally(`must have at most ${maxProperties} items`),
	}),
	'x-kubernetes-list-type': ({ 'x-kubernetes-list-type': kind }: Required<Schema>) =>
		kind === 'atomic'
			? undefined
			: { breaking: ([item]: unknown[]) => [item, item], wantMessage: /Duplicate value/, blames: '[1]' },
	format: ({ format }: Required<Schema>) => {
		if (format === 'date-time')
			return { breaking: () => 'yesterday', wantMessage: /must be of type date-time: "yesterday"/ };
		if (format === 'int32') return { breaking: () => 2 ** 31, wantMessage: /format int32/ };
		// The first number beyond it is none that JavaScript could tell from its neighbours.
		if (format === 'int64') return undefined;
		throw new Error(`the format ${format} is not known here`);
	},
};

const NO_LIMITS = new Set([
	'title',
	'description',
	'default',
	'properties',
	'items',
	'additionalProperties',
	'required',
	'x-kubernetes-list-map-keys',
	'x-kubernetes-preserve-unknown-fields',
	'x-kubernetes-validations',
]);

/** Of the parts that are ours: `apiVersion`, `kind` and `metadata` are the API server's own. */
export function plainLimitsOf({ properties = {}, ...root }: Schema): Limit[] {
	const { apiVersion: _, kind: __, metadata: ___, ...ours } = properties;
	return limitsBelow({ ...root, properties: ours }, []);
}

function limitsBelow(schema: Schema, path: readonly string[]): Limit[] {
	const { properties = {}, items, additionalProperties, required = [] } = schema;
	return [
		...(path.length === 0 ? [] : ownLimits(schema, path)),
		...required.map((name) => ({
			path: [...path, name],
			rule: 'required',
			breaking: () => undefined,
			wantMessage: /Required value/,
			blames: '',
		})),
		...Object.entries(properties).flatMap(([name, property]) => limitsBelow(property, [...path, name])),
		...(items ? limitsBelow(items, [...path, '[]']) : []),
		...(additionalProperties ? limitsBelow(additionalProperties, [...path, '*']) : []),
	];
}

function ownLimits(schema: Schema, path: readonly string[]): Limit[] {
	return Object.entries(schema).flatMap(([keyword, value]) => {
		if (NO_LIMITS.has(keyword)) return [];
		const how = KEYWORDS[keyword];
		if (how === undefined) throw new Error(`${spelled(path)}: the limit ${keyword} is not known here`);
		const breaking = how(schema);
		return breaking ? [{ blames: '', ...breaking, path, rule: `${keyword} ${String(value)}` }] : [];
	});
}

/** The object with this one limit broken; `undefined` when the object does not have the field. */
export function broken({ path, breaking, blames }: Limit, good: object): BadObject | undefined {
	const keys = concrete(good, path);
	if (keys === undefined) return undefined;
	const object = structuredClone(good) as any;
	const last = keys.at(-1) as string | number;
	const parent = keys.slice(0, -1).reduce((value, key) => value[key], object);
	const bad = breaking(parent[last]);
	if (bad === undefined) delete parent[last];
	else parent[last] = bad;
	return { field: spelled(keys) + blames, object };
}

/** Whether the refusal says that this limit is broken, and where. */
export function tellsOf({ wantMessage }: Limit, field: string, cause: Cause): boolean {
	// A number beyond its format is reported at the object around it, with the rest of the path at the end of the words.
	const [, rest] = / in (\S+)$/.exec(cause.message) ?? [];
	const isNamed = cause.field === field || (rest !== undefined && field.endsWith(rest));
	return isNamed && wantMessage.test(cause.message);
}

/** The first way through the object that has the field at its end: one item of a list may have it, and another not. */
function concrete(value: unknown, path: readonly string[]): (string | number)[] | undefined {
	const [first, ...rest] = path;
	if (first === undefined) return [];
	if (typeof value !== 'object' || value === null) return undefined;
	for (const [name, child] of Object.entries(value)) {
		if (first !== name && first !== (Array.isArray(value) ? '[]' : '*')) continue;
		const below = concrete(child, rest);
		if (below) return [Array.isArray(value) ? Number(name) : name, ...below];
	}
	return undefined;
}

export function spelled(keys: readonly (string | number)[]): string {
	return keys
		.map((key) => (typeof key === 'number' ? `[${key}]` : key === '[]' ? key : `.${key}`))
		.join('')
		.replace(/^\./, '');
}

function misfit(pattern: string): string {
	const found = MISFITS.find((text) => !new RegExp(pattern, 'u').test(text));
	if (found === undefined) throw new Error(`${pattern} matches everything that is tried here`);
	return found;
}

function literally(text: string): RegExp {
	return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
}
