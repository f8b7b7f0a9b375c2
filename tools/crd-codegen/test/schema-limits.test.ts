import { describe, expect, it } from 'vitest';
import { type Crd, parseCrd, type Schema } from '../src/crd.ts';
import { EXAMPLE_YAML } from './example-crd.ts';
import { broken, plainLimitsOf, spelled, tellsOf } from './schema-limits.ts';

const { schema } = parseCrd('teapots.yaml', EXAMPLE_YAML) as Crd;
const TEAPOT = {
	spec: {
		colour: 'red',
		brewing: { minutes: 3, strength: 2 },
		handle: { side: 'left' },
		notes: { a: 'hot' },
		extras: [{ lid: true }],
	},
	status: {
		currentMood: 'calm',
		pours: [{ at: '2024-01-01T00:00:00Z' }, { at: '2024-01-02T00:00:00Z', mood: 'calm' }],
	},
};

/** Each limit of the schema with the value that breaks it, found at the field that the refusal would name. */
function valuesOf(node: Schema, good: object) {
	return plainLimitsOf(node).map((limit) => {
		const bad = broken(limit, good);
		return [spelled(limit.path), limit.rule, bad && [bad.field, valueAt(bad.object, bad.field)]];
	});
}

function valueAt(object: any, field: string): unknown {
	return field.split(/\.|(?=\[)/).reduce((value, key) => value?.[key.replaceAll(/[[\]]/g, '')], object);
}

describe('the limits of the example', () => {
	it('are these, each broken in one place', () => {
		expect(valuesOf(schema, TEAPOT)).toEqual([
			['spec', 'type object', ['spec', 'text']],
			['spec.colour', 'required', ['spec.colour', undefined]],
			['spec.brewing', 'required', ['spec.brewing', undefined]],
			['spec.colour', 'type string', ['spec.colour', 7]],
			['spec.colour', "enum red,d'or", ['spec.colour', 'not-red']],
			['spec.brewing', 'type object', ['spec.brewing', 'text']],
			['spec.brewing.minutes', 'required', ['spec.brewing.minutes', undefined]],
			['spec.brewing.minutes', 'type integer', ['spec.brewing.minutes', 'text']],
			['spec.brewing.strength', 'type number', ['spec.brewing.strength', 'text']],
			['spec.handle', 'type object', ['spec.handle', 'text']],
			['spec.handle.side', 'type string', ['spec.handle.side', 7]],
			['spec.handle.side', 'maxLength 5', ['spec.handle.side', 'xxxxxx']],
			['spec.notes', 'type object', ['spec.notes', 'text']],
			[
				'spec.notes',
				'maxProperties 3',
				['spec.notes', { 'key-0': 'hot', 'key-1': 'hot', 'key-2': 'hot', 'key-3': 'hot' }],
			],
			['spec.notes.*', 'type string', ['spec.notes.a', 7]],
			['spec.notes.*', 'maxLength 9', ['spec.notes.a', 'xxxxxxxxxx']],
			['spec.extras', 'type array', ['spec.extras', 'text']],
			['spec.extras', 'maxItems 2', ['spec.extras', [{ lid: true }, { lid: true }, { lid: true }]]],
			['status', 'type object', ['status', 'text']],
			['status.currentMood', 'type string', ['status.currentMood', 7]],
			['status.currentMood', 'enum calm,steaming', ['status.currentMood', 'not-calm']],
			['status.pours', 'type array', ['status.pours', 'text']],
			['status.pours[]', 'type object', ['status.pours[0]', 'text']],
			['status.pours[].at', 'required', ['status.pours[0].at', undefined]],
			['status.pours[].at', 'type string', ['status.pours[0].at', 7]],
			['status.pours[].at', 'format date-time', ['status.pours[0].at', 'yesterday']],
			['status.pours[].mood', 'type string', ['status.pours[1].mood', 7]],
			['status.pours[].mood', 'enum calm,steaming', ['status.pours[1].mood', 'not-calm']],
		]);
	});

	it('leave everything else as it was', () => {
		for (const limit of plainLimitsOf(schema)) {
			const copy = structuredClone(TEAPOT);
			broken(limit, TEAPOT);
			expect(TEAPOT).toEqual(copy);
		}
	});

	it('cannot be broken in an object that does not have the field', () => {
		const { handle: _, ...spec } = TEAPOT.spec;
		const side = plainLimitsOf(schema).find(({ rule }) => rule === 'maxLength 5');
		expect(side && broken(side, { spec })).toBeUndefined();
	});
});

describe('a refusal', () => {
	const [limit] = plainLimitsOf({ properties: { spec: { maxLength: 5 } } });

	it.each([
		{ field: 'spec.name', message: 'Too long: may not be more than 5 bytes', want: true },
		{ field: 'spec.name', message: 'Too long: may not be more than 55 bytes', want: false },
		{ field: 'spec.name', message: 'Required value', want: false },
		{ field: 'spec', message: 'Too long: may not be more than 5 in name', want: true },
		{ field: 'spec', message: 'Too long: may not be more than 5 in title', want: false },
		{ field: 'spec', message: 'Too long: may not be more than 5 bytes', want: false },
	])('$field: $message: $want', ({ want, ...cause }) => {
		expect(limit && tellsOf(limit, 'spec.name', cause)).toBe(want);
	});
});

describe('a limit that the example has not', () => {
	it.each<{ node: Schema; good: unknown; want: unknown; field?: string }>([
		{ node: { minLength: 3 }, good: 'abc', want: 'xx' },
		{ node: { pattern: '^[a-z]+$' }, good: 'abc', want: ' ' },
		{ node: { pattern: '^[ /]' }, good: '/', want: '' },
		{ node: { minimum: 0 }, good: 5, want: -1 },
		{ node: { maximum: 9 }, good: 5, want: 10 },
		{ node: { format: 'int32' }, good: 5, want: 2_147_483_648 },
		{ node: { minItems: 2 }, good: ['a', 'b', 'c'], want: ['a'] },
		{ node: { minProperties: 1 }, good: { a: 1 }, want: {} },
		{ node: { 'x-kubernetes-list-type': 'set' }, good: ['a', 'b'], want: 'a', field: 'spec[1]' },
		{ node: { required: ['a'] }, good: { a: 1 }, want: undefined, field: 'spec.a' },
	])('$node', ({ node, good, want, field = 'spec' }) => {
		const [limit] = plainLimitsOf({ properties: { spec: node } });
		const bad = limit && broken(limit, { spec: good });
		expect(bad?.field).toBe(field);
		expect(valueAt(bad?.object, field)).toEqual(want);
	});

	it.each([{ multipleOf: 5 }, { format: 'ipv4' }, { pattern: '' }])(
		'%o is an error: it is a limit that is not tried here',
		(node) => {
			const tryLimits = () =>
				plainLimitsOf({ properties: { spec: node } }).map((limit) => broken(limit, { spec: 'a' }));
			expect(tryLimits).toThrow(/not known here|tried here/);
		},
	);
});
