// Fills the parameters of a workflow with the fields of a signal. What an alert says ends in a command that runs with the
// rights of the workflow, so a value that does not fit is a problem, and nothing runs:
//  - a missing or blank field: in a command, an empty string can mean everything;
//  - `$(`, backticks and control characters, which Tekton and shells act on;
//  - a parameter that an alert feeds, and that does not match its pattern, or the default one where it has none.
// The text that the author of the workflow writes around the fields is the author's own, and is not judged, unless an
// alert feeds the same parameter.

import { WORKFLOW_EXECUTION_LIMITS } from '../../generated/workflow-execution.ts';
import type { Remediation, Signal } from '../../objects/remediation.ts';
import type { Workflow } from '../../objects/workflow.ts';
import { isFedByAlert, PLACEHOLDER, parseField, templateProblem } from './template-fields.ts';

export type FillResult = { readonly parameters: Readonly<Record<string, string>> } | { readonly problem: string };
export type TemplateSource = Pick<Remediation, 'name' | 'target' | 'targetResource' | 'subject' | 'signal'>;
type Filling = { readonly name: string; readonly target: string; readonly result: FillResult };
type Templated = Pick<Workflow, 'spec' | 'expressions'>;

/** Of a parameter that an alert feeds and that has no pattern. No leading hyphen: `--all` is not a name. */
export const DEFAULT_PATTERN = '^([A-Za-z0-9._:@/][A-Za-z0-9._:@/-]{0,255})?$';
const DEFAULT = new RegExp(DEFAULT_PATTERN);
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const ACTIVE = /\$\(|`|[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const MAX_LENGTH = WORKFLOW_EXECUTION_LIMITS['spec.parameters.*'].maxLength;
const MAX_SHOWN = 80;

/** Remembered with the signal, which all versions of a request share, and the expressions, which live as long as the spec. */
const fillings = new WeakMap<Workflow['expressions'], WeakMap<Signal, Filling>>();

export function fillParameters(workflow: Templated, source: TemplateSource): FillResult {
	const { name, target, signal } = source;
	const known = fillings.get(workflow.expressions)?.get(signal);
	if (known?.name === name && known.target === target) return known.result;
	const result = fillAll(workflow, source);
	const ofWorkflow = fillings.get(workflow.expressions) ?? new WeakMap<Signal, Filling>();
	fillings.set(workflow.expressions, ofWorkflow);
	ofWorkflow.set(signal, { name, target, result });
	return result;
}

function fillAll({ spec, expressions }: Templated, source: TemplateSource): FillResult {
	const parameters: [string, string][] = [];
	for (const [name, template] of Object.entries(spec.parameters ?? {})) {
		const filled = fill(template, source);
		const problem =
			'problem' in filled ? filled.problem : valueProblem(filled.text, template, expressions.patternOf(name));
		if (problem !== undefined) return { problem: `parameter ${name}: ${problem}` };
		parameters.push([name, 'text' in filled ? filled.text : '']);
	}
	return { parameters: Object.fromEntries(parameters) };
}

/** Problems that every signal would have; the first of each parameter. */
export function parameterProblems({ spec, expressions }: Templated): string[] {
	return Object.entries(spec.parameters ?? {}).flatMap(([name, template]) => {
		const problem = templateProblem(template) ?? fixedTextProblem(template, expressions.patternOf(name) !== undefined);
		return problem === undefined ? [] : [`parameter ${name}: ${problem}`];
	});
}

function fill(template: string, source: TemplateSource): { readonly text: string } | { readonly problem: string } {
	let problem = templateProblem(template);
	if (problem !== undefined) return { problem };
	const text = template.replace(PLACEHOLDER, (_, inside: string) => {
		const field = inside.trim();
		const value = valueOf(field, source);
		if (value === undefined || value.trim() === '') problem ??= `the signal has no ${field}`;
		else problem ??= insertedProblem(field, value);
		return value ?? '';
	});
	return problem === undefined ? { text } : { problem };
}

/** Names of targets and subjects follow the rules of their kind, and some kinds allow nearly anything. */
function insertedProblem(field: string, value: string): string | undefined {
	if (ACTIVE.test(value)) return `${field} ${shown(value)} has $(, a backtick or a control character`;
	const isName = field === 'target' || field === 'target.name' || field === 'subject.name';
	return isName && !DEFAULT.test(value) ? `${field} ${shown(value)} does not match ${DEFAULT_PATTERN}` : undefined;
}

function valueProblem(
	text: string,
	template: string,
	pattern: ReturnType<Workflow['expressions']['patternOf']>,
): string | undefined {
	if (text.length > MAX_LENGTH) return `${text.length} characters long; at most ${MAX_LENGTH} are allowed`;
	const isFed = isFedByAlert(template);
	if (isFed && ACTIVE.test(text)) return `${shown(text)} has $(, a backtick or a control character`;
	if (pattern !== undefined)
		return pattern.fits(text) ? undefined : `${shown(text)} does not match ${pattern.source}, its pattern`;
	if (!isFed || DEFAULT.test(text)) return undefined;
	return `${shown(text)} does not match ${DEFAULT_PATTERN}; give it a pattern in parameterPatterns if it may hold more`;
}

/** The author's text around the fields may be what no value can make up for. */
function fixedTextProblem(template: string, hasPattern: boolean): string | undefined {
	if (hasPattern || !isFedByAlert(template) || DEFAULT.test(template.replace(PLACEHOLDER, 'x'))) return undefined;
	return `the text around its fields does not match ${DEFAULT_PATTERN}; give it a pattern in parameterPatterns`;
}

function valueOf(field: string, { name, target, targetResource, subject, signal }: TemplateSource): string | undefined {
	if (field === 'target') return target;
	if (field === 'request.name') return name;
	const { group, key } = parseField(field);
	const { labels, annotations } = signal;
	const texts = { target: targetResource, subject, signal, labels, annotations }[group] ?? {};
	const value: unknown = Object.hasOwn(texts, key) ? (texts as Record<string, unknown>)[key] : undefined;
	return typeof value === 'string' ? value : undefined;
}

/** Cut, and with escapes for what would disturb a terminal. */
function shown(value: string): string {
	const cut = value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN).toWellFormed()}…` : value;
	// What JSON leaves as it is.
	return JSON.stringify(cut).replace(
		/[\u007f-\u009f\u2028\u2029]/g,
		(character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
	);
}
