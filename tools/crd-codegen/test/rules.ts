// The CEL rules of a schema, and how a refusal by each of them looks.
import type { Schema } from '../src/crd.ts';
import type { Cause } from './api.ts';

interface Validation {
	rule: string;
	fieldPath?: string;
	message: string;
	messageExpression?: string;
}

interface Rule {
	/** Field that the refusal names, with `[]` for items of a list and `.*` for the values of a map. */
	field: string;
	rule: string;
	message: RegExp;
}

export function rulesOf(schema: Schema, path = ''): Rule[] {
	const validations = (schema['x-kubernetes-validations'] ?? []) as Validation[];
	return [
		...validations.map(({ rule, fieldPath = '', message, messageExpression }) => ({
			field: (path + fieldPath).replace(/^\./, ''),
			rule,
			message: messageExpression === undefined ? exactly([message]) : exactly(literalsOf(messageExpression)),
		})),
		...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => rulesOf(property, `${path}.${name}`)),
		...(schema.items ? rulesOf(schema.items, `${path}[]`) : []),
		...(schema.additionalProperties ? rulesOf(schema.additionalProperties, `${path}.*`) : []),
	];
}

export function isRefusalBy({ field, message }: Rule, cause: Cause): boolean {
	const blamed = cause.field.replaceAll(/\[(\d+)?[^\]]*\]/g, (_, index) => (index === undefined ? '.*' : '[]'));
	// The root itself has no path; the server calls it <nil>.
	return blamed === (field === '' ? '<nil>' : field) && message.test(cause.message);
}

/** The constant parts of an expression like `'phase ' + oldSelf.phase + ' is final'` or `'%d is stored'.format(…)`. */
function literalsOf(expression: string): string[] {
	return [...expression.matchAll(/'([^']*)'/g)].flatMap(([, literal = '']) => literal.split('%d'));
}

function exactly(parts: string[]): RegExp {
	return new RegExp(`${parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*')}$`);
}
