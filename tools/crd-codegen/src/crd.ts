// Reads CustomResourceDefinitions from YAML, as far as types are made from them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** The part of a structural schema that is used here. */
export interface Schema {
	type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
	title?: string;
	description?: string;
	format?: string;
	default?: string | number | boolean | object;
	enum?: string[];
	properties?: Record<string, Schema>;
	additionalProperties?: Schema;
	required?: string[];
	items?: Schema;
	minLength?: number;
	maxLength?: number;
	minItems?: number;
	maxItems?: number;
	minProperties?: number;
	maxProperties?: number;
	minimum?: number;
	maximum?: number;
	pattern?: string;
	'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
	'x-kubernetes-preserve-unknown-fields'?: boolean;
	'x-kubernetes-validations'?: { rule: string; message?: string }[];
}

export interface Crd {
	/** Name of the file inside the directory of CRDs. */
	file: string;
	group: string;
	version: string;
	kind: string;
	plural: string;
	schema: Schema;
}

interface CrdDocument {
	kind?: string;
	spec: {
		group: string;
		names: { kind: string; plural: string };
		versions: { name: string; storage: boolean; schema: { openAPIV3Schema: Schema } }[];
	};
}

/** One CRD of a YAML text; `undefined` when the text holds something else. Types follow the storage version. */
export function parseCrd(file: string, text: string): Crd | undefined {
	const documents = parseAllDocuments(text);
	const problem = documents.flatMap((document) => document.errors)[0];
	if (problem) throw new Error(`${file}: ${problem.message}`);
	const crds = documents
		.map((document) => document.toJS() as CrdDocument | null)
		.filter((document) => document?.kind === 'CustomResourceDefinition');
	const [crd] = crds;
	if (!crd) return undefined;
	if (crds.length > 1) throw new Error(`${file}: holds ${crds.length} CustomResourceDefinitions; use a file for each`);
	const version = crd.spec.versions.find((candidate) => candidate.storage);
	if (!version) throw new Error(`${file}: no version is the storage version`);
	return {
		file,
		group: crd.spec.group,
		version: version.name,
		kind: crd.spec.names.kind,
		plural: crd.spec.names.plural,
		schema: version.schema.openAPIV3Schema,
	};
}

export async function readCrds(directory: string): Promise<Crd[]> {
	const crds: Crd[] = [];
	for (const file of (await readdir(directory)).toSorted()) {
		if (!file.endsWith('.yaml')) continue;
		const crd = parseCrd(file, await readFile(join(directory, file), 'utf8'));
		if (crd) crds.push(crd);
	}
	return crds;
}
