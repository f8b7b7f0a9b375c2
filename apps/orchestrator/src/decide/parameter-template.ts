// Fills the parameters of a workflow with the fields of a signal: `{{ target.name }}`, `{{ labels.deployment }}`.
// A missing or blank field is a problem, never an empty string: in a command, an empty string can mean everything.

import { WORKFLOW_EXECUTION_LIMITS } from '../generated/workflow-execution.ts';
import type { Remediation } from '../objects/remediation.ts';

export type FillResult = { readonly parameters: Record<string, string> } | { readonly problem: string };
type Source = Pick<Remediation, 'name' | 'target' | 'targetResource' | 'signal'>;

const PLACEHOLDER = /\{\{(.*?)\}\}/gs;
const FIELD =
	/^(?:target|target\.(?:kind|name|namespace|apiVersion)|signal\.(?:name|severity|type|source|fingerprint)|request\.name|(?:labels|annotations)\..+)$/;
const KNOWN_FIELDS =
	'target, target.kind, target.name, target.namespace, target.apiVersion, signal.name, signal.severity, signal.type, signal.source, signal.fingerprint, request.name, labels.<name>, annotations.<name>';
const MAX_LENGTH = WORKFLOW_EXECUTION_LIMITS['spec.parameters.*'].maxLength;

export function fillParameters(templates: Readonly<Record<string, string>>, source: Source): FillResult {
	const parameters: [string, string][] = [];
	for (const [name, template] of Object.entries(templates)) {
		const filled = fill(template, source);
		if ('problem' in filled) return { problem: `parameter ${name}: ${filled.problem}` };
		if (filled.text.length > MAX_LENGTH)
			return { problem: `parameter ${name}: ${filled.text.length} characters long; at most ${MAX_LENGTH} are allowed` };
		parameters.push([name, filled.text]);
	}
	return { parameters: Object.fromEntries(parameters) };
}

/** Every field that a template asks for, known or not. */
export function fieldsIn(template: string): { readonly group: string; readonly key: string }[] {
	return [...template.matchAll(PLACEHOLDER)].map(([, inside = '']) => parseField(inside.trim()));
}

function fill(template: string, source: Source): { text: string } | { problem: string } {
	let problem: string | undefined;
	const text = template.replace(PLACEHOLDER, (_, inside: string) => {
		const field = inside.trim();
		const value = FIELD.test(field) ? valueOf(field, source) : undefined;
		if (!FIELD.test(field)) problem ??= `unknown field "${field}"; known fields: ${KNOWN_FIELDS}`;
		else if (value === undefined || value.trim() === '') problem ??= `the signal has no ${field}`;
		return value ?? '';
	});
	if (problem === undefined && /\{\{|\}\}/.test(template.replace(PLACEHOLDER, ''))) problem = 'unbalanced {{ and }}';
	return problem === undefined ? { text } : { problem };
}

function valueOf(field: string, { name, target, targetResource, signal }: Source): string | undefined {
	if (field === 'target') return target;
	if (field === 'request.name') return name;
	const { group, key } = parseField(field);
	const texts = { target: targetResource, signal, labels: signal.labels, annotations: signal.annotations }[group] ?? {};
	const value: unknown = Object.hasOwn(texts, key) ? (texts as Record<string, unknown>)[key] : undefined;
	return typeof value === 'string' ? value : undefined;
}

function parseField(field: string): { readonly group: string; readonly key: string } {
	const dot = field.indexOf('.');
	return { group: field.slice(0, dot), key: field.slice(dot + 1) };
}
