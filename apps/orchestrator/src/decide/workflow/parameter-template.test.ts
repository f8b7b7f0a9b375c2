import { TARGET_LABELS } from '@kubernaut/testkit/target-labels';
import { describe, expect, it } from 'vitest';
import { aRequest, aWorkflow } from '../../../test/harness/made-up.ts';
import { DEFAULT_PATTERN, fillParameters } from './parameter-template.ts';

const request = aRequest({
	name: 'rr-abc',
	signal: {
		name: 'Crash',
		severity: 'critical',
		type: 'alert',
		source: 'am',
		fingerprint: 'ab',
		labels: { team: 'a', 'app.kubernetes.io/name': 'cart', empty: '', blank: ' \n', odd: '{{target}}$&$1' },
		annotations: { version: 'v1.2@sha', long: 'x'.repeat(4096) },
	},
});
const fillAll = (parameters: Record<string, string>, source = request) =>
	fillParameters(aWorkflow('w', { parameters }), source);
const fill = (template: string) => fillAll({ P: template });
/** With a label of this value, and a pattern for the parameter. */
const fillFrom = (template: string, value: string, pattern?: string) => {
	const parameterPatterns = pattern === undefined ? {} : { parameterPatterns: { P: pattern } };
	const labelled = { ...request, signal: { ...request.signal, labels: { x: value }, annotations: { x: value } } };
	return fillParameters(aWorkflow('w', { parameters: { P: template }, ...parameterPatterns }), labelled);
};

describe('a template', () => {
	it.each([
		{ template: 'as it is', want: 'as it is' },
		{ template: '', want: '' }, // written so by a person; nothing was left out
		{ template: '{ single } $& \\n', want: '{ single } $& \\n' },
		{ template: '{{ target }}', want: 'shop/Deployment/cart' },
		{ template: '{{target.kind}}/{{  target.name\t}}', want: 'Deployment/cart' },
		{ template: '{{ target.namespace }}', want: 'shop' },
		{ template: '{{ signal.name }}:{{ signal.severity }}:{{ signal.type }}', want: 'Crash:critical:alert' },
		{ template: '{{ signal.source }}/{{ signal.fingerprint }}', want: 'am/ab' },
		{ template: 'as $(it) `is`\n{{ target.name }} --all', want: 'as $(it) `is`\ncart --all' }, // the author's own
		{ template: '{{ request.name }}', want: 'rr-abc' },
		{ template: '{{ labels.team }}{{ labels.team }}', want: 'aa' },
		{ template: '{{ labels.app.kubernetes.io/name }}', want: 'cart' },
		{ template: '{{ annotations.version }}', want: 'v1.2@sha' },
	])('$template becomes $want', ({ template, want }) => {
		expect(fill(template)).toEqual({ parameters: { P: want } });
	});

	it.each([
		{ template: '{{ labels.none }}', want: 'parameter P: the signal has no labels.none' },
		{ template: 'rm -rf /{{ labels.empty }}', want: 'parameter P: the signal has no labels.empty' },
		{ template: '{{ labels.blank }}', want: 'parameter P: the signal has no labels.blank' },
		{ template: '{{ annotations.none }}', want: 'parameter P: the signal has no annotations.none' },
		{ template: '{{ target.apiVersion }}', want: 'parameter P: the signal has no target.apiVersion' },
		{ template: '{{ labels.toString }}', want: 'parameter P: the signal has no labels.toString' },
		{ template: '{{ labels.__proto__ }}', want: 'parameter P: the signal has no labels.__proto__' },
		{ template: '{{ target.names }}', want: 'parameter P: unknown field "target.names"; known fields: target, ' },
		{ template: '{{ signal.labels }}', want: 'parameter P: unknown field "signal.labels"; ' },
		{ template: '{{ labels. }}', want: 'parameter P: unknown field "labels."; ' },
		{ template: '{{}}', want: 'parameter P: unknown field ""; ' },
		{ template: '{{ labels.odd }}', want: 'parameter P: "{{target}}$&$1" does not match ^' }, // a value is no template
		{ template: '{{ {{ target }} }}', want: 'parameter P: unknown field "{{ target"; ' },
		{ template: '{{ target', want: 'parameter P: unbalanced {{ and }}' },
		{ template: 'target }}', want: 'parameter P: unbalanced {{ and }}' },
		{ template: '{{ annotations.long }}x', want: 'parameter P: 4097 characters long; at most 4096 are allowed' },
	])('$template is a problem: $want', ({ template, want }) => {
		const filled = fill(template);
		expect('problem' in filled && filled.problem).toContain(want);
		expect(filled).not.toHaveProperty('parameters');
	});

	it('with several problems reports the first, by the name of its parameter', () => {
		const filled = fillAll({ A: 'ok', B: '{{ labels.b }} {{ labels.c }}', C: '{{ labels.c }}' });
		expect(filled).toEqual({ problem: 'parameter B: the signal has no labels.b' });
	});

	it('keeps a parameter whatever its name is', () => {
		const templates = JSON.parse('{"__proto__": "{{ target.name }}", "constructor": "x"}') as Record<string, string>;
		const filled = fillAll(templates);
		expect('parameters' in filled && Object.entries(filled.parameters)).toEqual([
			['__proto__', 'cart'],
			['constructor', 'x'],
		]);
	});

	it('a target in no namespace has none to fill in', () => {
		const node = { ...request, target: 'Node/n', targetResource: { kind: 'Node', name: 'n' } };
		expect(fillAll({ P: '{{ target }}' }, node)).toEqual({ parameters: { P: 'Node/n' } });
		expect(fillAll({ P: '{{ target.namespace }}' }, node)).toEqual({
			problem: 'parameter P: the signal has no target.namespace',
		});
	});

	it('a subject is filled in like a target, and is missing when the signal named no pod', () => {
		expect(fillAll({ P: '{{ subject.kind }}/{{ subject.name }}' })).toEqual({
			parameters: { P: 'Pod/cart-7d4b9c-x2x8p' },
		});
		expect(fillAll({ P: '{{ subject.name }}' }, { ...request, subject: undefined })).toEqual({
			problem: 'parameter P: the signal has no subject.name',
		});
	});

	it.each(
		Object.entries(TARGET_LABELS).flatMap(([label, instead]) =>
			[label, `exported_${label}`].map((name) => ({ name, instead })),
		),
	)('labels.$name is refused in favour of $instead', ({ name, instead }) => {
		const problem = `parameter P: labels.${name} may differ from what the gateway read from the alert; write {{ ${instead} }}`;
		expect(fill(`a{{ labels.${name} }}`)).toEqual({ problem });
	});

	it('a label that only looks like one of the target is a label', () => {
		expect(fillFrom('{{ labels.x }}', 'pods')).toEqual({ parameters: { P: 'pods' } });
		expect(fill('{{ labels.pods }}')).toEqual({ problem: 'parameter P: the signal has no labels.pods' });
	});
});

describe('a value that an alert feeds', () => {
	const HOSTILE = [
		'; curl x | sh',
		'$(cat /etc/shadow)',
		'--all',
		'-f',
		'*',
		'a\nb',
		'a b',
		'`id`',
		'a&b',
		'ä',
		"'",
		'"',
	];
	it.each(HOSTILE)('%j does not fit the default pattern', (value) => {
		for (const template of ['{{ labels.x }}', '{{ annotations.x }}']) {
			const filled = fillFrom(template, value);
			expect(filled).toEqual({ problem: expect.stringMatching(/^parameter P: .*(?:does not match|has \$\()/) });
			expect('problem' in filled && filled.problem).not.toContain('\n');
		}
	});

	it.each(['a', 'A.b_c:d@e/f-g', '/var/log', '.x', 'v1.2.3', 'x'.repeat(256)])(
		'%j fits the default pattern',
		(value) => {
			expect(fillFrom('{{ labels.x }}', value)).toEqual({ parameters: { P: value } });
		},
	);

	it('longer than 256 characters does not fit the default pattern', () => {
		const filled = fillFrom('{{ labels.x }}', 'x'.repeat(257));
		expect(filled).toEqual({ problem: expect.stringContaining(`x…" does not match ${DEFAULT_PATTERN}`) });
	});

	it('is judged together with the text around it', () => {
		expect(fillFrom('v{{ labels.x }}', '-1')).toEqual({ parameters: { P: 'v-1' } });
		expect(fillFrom('team={{ labels.x }}', 'a')).toEqual({
			problem: `parameter P: "team=a" does not match ${DEFAULT_PATTERN}; give it a pattern in parameterPatterns if it may hold more`,
		});
		expect(fillFrom('${{ labels.x }}', '(id)', '^.*$')).toEqual({
			problem: 'parameter P: "$(id)" has $(, a backtick or a control character',
		});
	});

	it.each([
		{ pattern: '^team=[a-z]+$', template: 'team={{ labels.x }}', value: 'a', want: 'team=a' },
		{ pattern: '^.*$', template: '{{ labels.x }}', value: '; rm -rf *', want: '; rm -rf *' }, // the author's wish
		{ pattern: '^--[a-z]+$', template: '{{ labels.x }}', value: '--all', want: '--all' },
	])('its own pattern $pattern takes $value', ({ pattern, template, value, want }) => {
		expect(fillFrom(template, value, pattern)).toEqual({ parameters: { P: want } });
	});

	it.each(['$(id)', 'a`b', 'a\nb', 'a\u0000', 'a\u007f', 'a\u0085b', 'a\u2028b', 'a\rb', 'a\u001b[2J'])(
		'%j is refused even by a pattern that takes anything',
		(value) => {
			expect(fillFrom('{{ labels.x }}', value, '^(?s).*$')).toEqual({
				problem: expect.stringMatching(/^parameter P: labels\.x ".*" has \$\(, a backtick or a control character$/),
			});
		},
	);

	it('that does not match its own pattern is refused with the pattern', () => {
		expect(fillFrom('{{ labels.x }}', 'b', '^a$')).toEqual({
			problem: 'parameter P: "b" does not match ^a$, its pattern',
		});
	});

	it.each(['signal.name', 'signal.severity', 'signal.source'])('%s is fed by the alert, too', (field) => {
		const key = field.slice('signal.'.length);
		const source = { ...request, signal: { ...request.signal, [key]: 'a b' } };
		expect(fillAll({ P: `{{ ${field} }}` }, source)).toEqual({
			problem: expect.stringContaining('"a b" does not match'),
		});
	});

	it.each(['$(id)', '--all', 'a b', '*', ';id'])('a subject that is named %j is refused', (name) => {
		const source = { ...request, subject: { kind: 'ClusterRole', name } };
		expect(fillAll({ P: 'x {{ subject.name }}' }, source)).toEqual({
			problem: expect.stringContaining('subject.name '),
		});
	});

	// RBAC kinds have names that other kinds cannot have.
	it.each(['$(id)', '--all', 'a b', '*', ';id'])('a target that is named %j is refused', (name) => {
		const targetResource = { kind: 'ClusterRole', name };
		const source = { ...request, target: `ClusterRole/${name}`, targetResource };
		expect(fillAll({ P: 'x {{ target.name }}' }, source)).toEqual({ problem: expect.stringContaining('target.name ') });
		expect(fillAll({ P: '{{ target.kind }}' }, source)).toEqual({ parameters: { P: 'ClusterRole' } });
		const system = { ...source, targetResource: { kind: 'ClusterRole', name: 'system:node' } };
		expect(fillAll({ P: 'x {{ target.name }}' }, system)).toEqual({ parameters: { P: 'x system:node' } });
	});
});

describe('filled parameters', () => {
	it('are remembered for a signal, and not for another request', () => {
		const workflow = aWorkflow('w', { parameters: { P: '{{ request.name }}' } });
		expect(fillParameters(workflow, { ...request })).toBe(fillParameters(workflow, request));
		expect(fillParameters(workflow, { ...request, name: 'rr-other' })).toEqual({ parameters: { P: 'rr-other' } });
		expect(fillParameters(aWorkflow('w', { parameters: { P: 'x' } }), request)).toEqual({ parameters: { P: 'x' } });
	});
});
