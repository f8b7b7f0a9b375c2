// The templates of a workflow's parameters: `{{ target.name }}`, `{{ labels.team }}`. Which fields there are, which of
// them an alert can fill with anything, and what is wrong with a template whatever the signal is.

export type Field = { readonly group: string; readonly key: string };

export const PLACEHOLDER = /\{\{(.*?)\}\}/gs;
const FIELD =
	/^(?:target|(?:target|subject)\.(?:kind|name|namespace|apiVersion)|signal\.(?:name|severity|type|source|fingerprint)|request\.name|(?:labels|annotations)\..+)$/;
const KNOWN_FIELDS =
	'target, target.kind, target.name, target.namespace, target.apiVersion, subject.kind, subject.name, subject.namespace, subject.apiVersion, signal.name, signal.severity, signal.type, signal.source, signal.fingerprint, request.name, labels.<name>, annotations.<name>';
/** The sender of an alert writes them, and neither gateway nor API server knows what they may hold. */
const FROM_ALERT = /^(?:(?:labels|annotations)\..+|signal\.(?:name|severity|source))$/;

/** From which the gateway reads the target of an alert, with the field that holds what it read. */
const TARGET_LABELS: ReadonlyMap<string, string> = new Map([
	['namespace', 'target.namespace'],
	['pod', 'subject.name'], // the target is the workload above it
	...[
		'deployment',
		'statefulset',
		'daemonset',
		'cronjob',
		'job_name',
		'horizontalpodautoscaler',
		'poddisruptionbudget',
		'persistentvolumeclaim',
		'persistentvolume',
		'replicaset',
		'node',
	].map((label) => [label, 'target.name'] as const),
]);

/** Every field that a template asks for, known or not. */
export function fieldsIn(template: string): Field[] {
	return namesIn(template).map(parseField);
}

export function parseField(field: string): Field {
	const dot = field.indexOf('.');
	return { group: field.slice(0, dot), key: field.slice(dot + 1) };
}

export function isFedByAlert(template: string): boolean {
	return namesIn(template).some((field) => FROM_ALERT.test(field));
}

/** Why the template cannot be filled from any signal; undefined when it can from some. */
export function templateProblem(template: string): string | undefined {
	for (const field of namesIn(template)) {
		if (!FIELD.test(field)) return `unknown field "${field}"; known fields: ${KNOWN_FIELDS}`;
		const instead = targetFieldFor(field);
		if (instead !== undefined)
			return `${field} may differ from what the gateway read from the alert; write {{ ${instead} }}`;
	}
	return /\{\{|\}\}/.test(template.replace(PLACEHOLDER, '')) ? 'unbalanced {{ and }}' : undefined;
}

/** The field to use instead of a label that the target was read from: `exported_pod` and `pod` can both be there. */
function targetFieldFor(field: string): string | undefined {
	const { group, key } = parseField(field);
	return group === 'labels' ? TARGET_LABELS.get(key.replace(/^exported_/, '')) : undefined;
}

function namesIn(template: string): string[] {
	return [...template.matchAll(PLACEHOLDER)].map(([, inside = '']) => inside.trim());
}
