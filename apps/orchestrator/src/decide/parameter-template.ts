// Fills the parameters of a workflow with the fields of a signal: `{{ target.name }}`, `{{ labels.deployment }}`.
// A field that is missing or blank is a mistake, told in words: an empty string in a command can mean everything.

import { WORKFLOW_EXECUTION_LIMITS } from '../generated/workflow-execution.ts';
import type { Remediation } from '../objects/remediation.ts';

export type Filled = { readonly parameters: Record<string, string> } | { readonly problem: string };
type Source = Pick<Remediation, 'name' | 'target' | 'targetResource' | 'signal'>;

const PLACEHOLDER = /\{\{(.*?)\}\}/gs;
const FIELD =
	/^(?:target|target\.(?:kind|name|namespace|apiVersion)|signal\.(?:name|severity|type|source|fingerprint)|request\.name|(?:labels|annotations)\..+)$/;
const KNOWN_FIELDS =
	'target, target.kind, target.name, target.namespace, target.apiVersion, signal.name, signal.severity, signal.type, signal.source, signal.fingerprint, request.name, labels.<name>, annotations.<name>';
const LONGEST = WORKFLOW_EXECUTION_LIMITS['spec.parameters.*'].maxLength;

export function fillParameters(templates: Readonly<Record<string, string>>, source: Source): Filled {
	const parameters: [string, string][] = [];
	for (const [name, template] of Object.entries(templates)) {
		const filled = fill(template, source);
		if ('problem' in filled) return { problem: `parameter ${name}: ${filled.problem}` };
		if (filled.text.length > LONGEST)
			return { problem: `parameter ${name}: ${filled.text.length} characters long; at most ${LONGEST} are allowed` };
		parameters.push([name, filled.text]);
	}
	return { parameters: Object.fromEntries(parameters) };
}

function fill(template: string, source: Source): { text: string } | { problem: string } {
	let problem: string | undefined;
	const text = template.replace(PLACEHOLDER, (_, inside: string) => {
		const field = inside.trim();
		const value = FIELD.test(field) ? valueOf(field, source) : undefined;
		if (!FIELD.test(field)) problem ??= `there is no field "${field}"; there are ${KNOWN_FIELDS}`;
		else if (value === undefined || value.trim() === '') problem ??= `the signal has no ${field}`;
		return value ?? '';
	});
	if (problem === undefined && /\{\{|\}\}/.test(template.replace(PLACEHOLDER, '')))
		problem = 'a {{ without its }}, or the other way round';
	return problem === undefined ? { text } : { problem };
}

function valueOf(field: string, { name, target, targetResource, signal }: Source): string | undefined {
	if (field === 'target') return target;
	if (field === 'request.name') return name;
	const dot = field.indexOf('.');
	const [group, key] = [field.slice(0, dot), field.slice(dot + 1)];
	const texts = { target: targetResource, signal, labels: signal.labels, annotations: signal.annotations }[group] ?? {};
	const value: unknown = Object.hasOwn(texts, key) ? (texts as Record<string, unknown>)[key] : undefined;
	return typeof value === 'string' ? value : undefined;
}
