// This repository's CRDs and generated types, as far as no API server is needed to judge them.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCrds, type Schema } from '../src/crd.ts';
import { CRD_DIRECTORY, compare } from '../src/generate.ts';

const ROOT = join(import.meta.dirname, '../../..');
const crds = await readCrds(join(ROOT, CRD_DIRECTORY));

it('has checked in the types that the YAML gives (else: node tools/crd-codegen/src/cli.ts)', async () => {
	expect((await compare(ROOT)).differences).toEqual([]);
});

describe.each(crds)('$kind', ({ kind, schema }) => {
	const { spec, status } = schema.properties ?? {};
	const fields = [...(spec ? walk(spec, 'spec') : []), ...(status ? walk(status, 'status') : [])];

	it('bounds everything that a client can make long', () => {
		expect(fields.filter(({ node }) => !isBounded(node)).map(({ path }) => path)).toEqual([]);
	});

	it('describes every field for kubectl explain', () => {
		const undescribed = fields.filter(({ node, isField }) => isField && !node.description);
		expect(undescribed.map(({ path }) => path)).toEqual([]);
	});

	it('requires only fields that it has', () => {
		const unknown = fields.flatMap(({ path, node }) =>
			(node.required ?? []).filter((name) => !node.properties?.[name]).map((name) => `${path}.${name}`),
		);
		expect(unknown).toEqual([]);
	});

	it('says in words what every CEL rule refuses', () => {
		const silent = [{ path: '', node: schema }, ...fields].flatMap(({ path, node }) =>
			(node['x-kubernetes-validations'] ?? []).filter(({ message }) => !message).map(({ rule }) => `${path}: ${rule}`),
		);
		expect(silent).toEqual([]);
	});

	it('has a spec that cannot be edited, unless it is a RemediationWorkflow', () => {
		const isImmutable = spec?.['x-kubernetes-validations']?.some(({ rule }) => rule === 'self == oldSelf') ?? false;
		expect(isImmutable).toBe(kind !== 'RemediationWorkflow');
	});
});

interface Node {
	path: string;
	node: Schema;
	/** False for items of lists and values of maps, which the field around them describes. */
	isField: boolean;
}

function walk(node: Schema, path: string, isField = true): Node[] {
	return [
		{ path, node, isField },
		...Object.entries(node.properties ?? {}).flatMap(([name, property]) => walk(property, `${path}.${name}`)),
		...(node.items ? walk(node.items, `${path}[]`, false) : []),
		...(node.additionalProperties ? walk(node.additionalProperties, `${path}.*`, false) : []),
	];
}

function isBounded(node: Schema): boolean {
	if (node.type === 'string')
		return node.maxLength !== undefined || node.enum !== undefined || node.format === 'date-time';
	if (node.type === 'array') return node.maxItems !== undefined;
	return node.additionalProperties === undefined || node.maxProperties !== undefined;
}
