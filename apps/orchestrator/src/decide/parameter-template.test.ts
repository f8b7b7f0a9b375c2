import { describe, expect, it } from 'vitest';
import { aRequest } from '../../test/harness/made-up.ts';
import { fillParameters } from './parameter-template.ts';

const request = aRequest({
	name: 'rr-abc',
	signal: {
		name: 'Crash',
		severity: 'critical',
		type: 'alert',
		source: 'am',
		fingerprint: 'ab',
		labels: { team: 'a', 'app.kubernetes.io/name': 'cart', empty: '', blank: ' \n', odd: '{{ target }} $& $1' },
		annotations: { runbook: 'https://x/y?z=1', long: 'x'.repeat(4096) },
	},
});
const fill = (template: string) => fillParameters({ P: template }, request);

describe('a template', () => {
	it.each([
		{ template: 'as it is', want: 'as it is' },
		{ template: '', want: '' }, // written so by a person; nothing was left out
		{ template: '{ single } $& \\n', want: '{ single } $& \\n' },
		{ template: '{{ target }}', want: 'shop/Deployment/cart' },
		{ template: '{{target.kind}}/{{  target.name\t}}', want: 'Deployment/cart' },
		{ template: '{{ target.namespace }}', want: 'shop' },
		{ template: '{{ signal.name }} {{ signal.severity }} {{ signal.type }}', want: 'Crash critical alert' },
		{ template: '{{ signal.source }} {{ signal.fingerprint }}', want: 'am ab' },
		{ template: '{{ request.name }}', want: 'rr-abc' },
		{ template: '{{ labels.team }}{{ labels.team }}', want: 'aa' },
		{ template: '{{ labels.app.kubernetes.io/name }}', want: 'cart' },
		{ template: '{{ annotations.runbook }}', want: 'https://x/y?z=1' },
		{ template: '{{ labels.odd }}', want: '{{ target }} $& $1' }, // a value is never a template
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
		{ template: '{{ {{ target }} }}', want: 'parameter P: unknown field "{{ target"; ' },
		{ template: '{{ target', want: 'parameter P: unbalanced {{ and }}' },
		{ template: 'target }}', want: 'parameter P: unbalanced {{ and }}' },
		{ template: '{{ annotations.long }}x', want: 'parameter P: 4097 characters long; at most 4096 are allowed' },
	])('$template is a problem: $want', ({ template, want }) => {
		const filled = fill(template);
		expect('problem' in filled && filled.problem).toMatch(want);
		expect(filled).not.toHaveProperty('parameters');
	});

	it('with several problems reports the first, by the name of its parameter', () => {
		const filled = fillParameters({ A: 'ok', B: '{{ labels.b }} {{ labels.c }}', C: '{{ labels.c }}' }, request);
		expect(filled).toEqual({ problem: 'parameter B: the signal has no labels.b' });
	});

	it('keeps a parameter whatever its name is', () => {
		const templates = JSON.parse('{"__proto__": "{{ target.name }}", "constructor": "x"}') as Record<string, string>;
		const filled = fillParameters(templates, request);
		expect('parameters' in filled && Object.entries(filled.parameters)).toEqual([
			['__proto__', 'cart'],
			['constructor', 'x'],
		]);
	});

	it('a target in no namespace has none to fill in', () => {
		const node = { ...request, target: 'Node/n', targetResource: { kind: 'Node', name: 'n' } };
		expect(fillParameters({ P: '{{ target }}' }, node)).toEqual({ parameters: { P: 'Node/n' } });
		expect(fillParameters({ P: '{{ target.namespace }}' }, node)).toEqual({
			problem: 'parameter P: the signal has no target.namespace',
		});
	});
});
