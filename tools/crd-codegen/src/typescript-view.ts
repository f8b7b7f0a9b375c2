// Turns the schema of a CRD into one from which json-schema-to-typescript makes the types that we want: every object
// and every closed set has a name of its own, and there are two views of a kind. Read: what the server answers, where
// defaults are filled in. New: what a client sends to create one, where fields with a default may be left out.
import type { JSONSchema } from 'json-schema-to-typescript';
import type { Crd, Schema } from './crd.ts';
import { pascalCase, singular } from './names.ts';

export interface ClosedSet {
	name: string;
	description: string | undefined;
	values: string[];
}

interface TypeScriptView {
	read: JSONSchema;
	create: JSONSchema;
	closedSets: ClosedSet[];
}

interface Scope {
	kind: string;
	/** Names given so far, with the schema that each stands for. */
	names: Map<string, Schema>;
	closedSets: ClosedSet[];
}

export function typeScriptView(crd: Crd): TypeScriptView {
	const scope: Scope = { kind: crd.kind, names: new Map(), closedSets: [] };
	const { spec, status } = crd.schema.properties ?? {};
	if (!spec) throw new Error(`${crd.file}: the schema has no spec`);
	const typeMeta = {
		apiVersion: { tsType: `'${crd.group}/${crd.version}'` },
		kind: { tsType: `'${crd.kind}'` },
	};
	const read = {
		type: 'object',
		title: crd.kind,
		...describedBy(crd.schema),
		properties: {
			...typeMeta,
			metadata: { tsType: 'ObjectMeta' },
			spec: readView(spec, `${crd.kind}Spec`, scope),
			...(status && { status: readView(status, `${crd.kind}Status`, scope) }),
		},
		required: ['apiVersion', 'kind', 'metadata', 'spec', ...(status && 'default' in status ? ['status'] : [])],
	} as JSONSchema;
	const create = {
		type: 'object',
		title: `New${crd.kind}`,
		description: `What a client sends to create a ${crd.kind}. Fields with a default may be left out.`,
		properties: {
			...typeMeta,
			metadata: { tsType: 'NewObjectMeta' },
			spec: createView(spec, `${crd.kind}Spec`, scope),
		},
		required: ['apiVersion', 'kind', 'metadata', 'spec'],
	} as JSONSchema;
	return { read, create, closedSets: scope.closedSets };
}

function readView(schema: Schema, name: string, scope: Scope): JSONSchema {
	if (schema.enum) return { tsType: closedSet(schema, name, scope), ...describedBy(schema) };
	if (schema.type === undefined) return { tsType: 'unknown', ...describedBy(schema) };
	if (schema.properties) {
		take(name, schema, scope);
		return {
			type: 'object',
			title: name,
			...describedBy(schema),
			properties: mapProperties(schema, name, scope, readView),
			required: Object.entries(schema.properties)
				.filter(([property, value]) => schema.required?.includes(property) || 'default' in value)
				.map(([property]) => property),
		};
	}
	return {
		type: schema.type,
		...describedBy(schema),
		...(schema.items && { items: readView(schema.items, nameOfItem(schema.items, name, scope), scope) }),
		...(schema.additionalProperties && {
			additionalProperties: readView(schema.additionalProperties, singular(name), scope),
		}),
	};
}

/** Runs after the read view, and refers to its types wherever the two do not differ. */
function createView(schema: Schema, name: string, scope: Scope): JSONSchema {
	if (schema.enum) return { tsType: name, ...describedBy(schema) };
	if (schema.properties) {
		if (!hasDefaultInside(schema)) return { tsType: name, ...describedBy(schema) };
		return {
			type: 'object',
			title: `New${name}`,
			...describedBy(schema),
			properties: mapProperties(schema, name, scope, createView),
			required: (schema.required ?? []).filter((property) => !('default' in (schema.properties?.[property] ?? {}))),
		};
	}
	if (schema.items)
		return {
			type: 'array',
			...describedBy(schema),
			items: createView(schema.items, nameOfItem(schema.items, name, scope), scope),
		};
	return readView(schema, name, scope);
}

function mapProperties(
	schema: Schema,
	name: string,
	scope: Scope,
	view: (schema: Schema, name: string, scope: Scope) => JSONSchema,
): Record<string, JSONSchema> {
	// Names of the parts of spec and status begin with the kind alone: RemediationRequestDeduplication.
	const prefix = name === `${scope.kind}Spec` || name === `${scope.kind}Status` ? scope.kind : name;
	return Object.fromEntries(
		Object.entries(schema.properties ?? {}).map(([property, value]) => [
			property,
			view(value, value.title ? scope.kind + value.title : prefix + pascalCase(property), scope),
		]),
	);
}

function nameOfItem(items: Schema, name: string, scope: Scope): string {
	return items.title ? scope.kind + items.title : singular(name);
}

function closedSet(schema: Schema, name: string, scope: Scope): string {
	if (take(name, schema, scope))
		scope.closedSets.push({ name, description: schema.description, values: schema.enum ?? [] });
	return name;
}

/** False when the name is taken by an equal set already; an error when it stands for something else. */
function take(name: string, schema: Schema, scope: Scope): boolean {
	const before = scope.names.get(name);
	if (!before) {
		scope.names.set(name, schema);
		return true;
	}
	if (schema.enum && JSON.stringify(before.enum) === JSON.stringify(schema.enum)) return false;
	throw new Error(`${scope.kind}: two different parts of the schema would both be called ${name}; give one a title`);
}

function hasDefaultInside(schema: Schema): boolean {
	return Object.values(schema.properties ?? {}).some(
		(property) =>
			'default' in property || hasDefaultInside(property) || (property.items && hasDefaultInside(property.items)),
	);
}

function describedBy(schema: Schema): { description?: string } {
	const notes = [schema.description];
	if (schema.format === 'date-time') notes.push('An RFC 3339 time.');
	const value = schema.default;
	if (value !== undefined && typeof value !== 'object') notes.push(`Default: ${String(value)}.`);
	const description = notes.filter((note) => note !== undefined).join(' ');
	return description ? { description } : {};
}
