import { describe, expect, it } from 'vitest';
import { fillIn } from './default-rules.ts';

const VALUES = {
	defaultRules: { runbookUrl: 'https://r', rules: { a: true }, labels: {} },
	kubeProxy: { enabled: true },
};
const template = (...lines: string[]) => ['{{- /* head */ -}}', 'kind: X', 'spec:', ...lines].join('\n');

describe('fillIn', () => {
	it('only the spec is kept, with variables, values and defaults of settings', () => {
		const text = template(
			'  - alert: A',
			'    expr: up{job="{{ $kubeletJob }}"} == 0',
			'    for: {{ dig "A" "for" "15m" .Values.customRules }}',
			'    url: {{ .Values.defaultRules.runbookUrl }}/a',
		);
		expect(fillIn(text, VALUES).trim()).toBe(
			['spec:', '  - alert: A', '    expr: up{job="kubelet"} == 0', '    for: 15m', '    url: https://r/a'].join('\n'),
		);
	});

	it("Prometheus' own templates stay", () => {
		expect(fillIn(template('  d: {{`{{`}} $labels.pod {{`}}`}}'), VALUES)).toContain('d: {{ $labels.pod }}');
	});

	it.each([
		{ condition: 'if not (.Values.defaultRules.disabled.A | default false)', isKept: true },
		{ condition: 'if .Values.kubeProxy.enabled', isKept: true },
		{ condition: 'if .Values.windowsMonitoring.enabled', isKept: false },
		{ condition: 'with .Values.defaultRules.labels', isKept: false },
		{ condition: 'if $additionalAnnotations', isKept: false },
	])('lines under "$condition" are kept: $isKept', ({ condition, isKept }) => {
		const text = template(`{{- ${condition} }}`, '  inside: 1', '{{- end }}', '  after: 1');
		expect(fillIn(text, VALUES).includes('inside')).toBe(isKept);
		expect(fillIn(text, VALUES)).toContain('after');
	});

	it('lists of further labels are empty', () => {
		expect(fillIn(template('  by (a{{ range $.Values.defaultRules.more }},{{ . }}{{ end }})'), VALUES)).toContain(
			'by (a)',
		);
	});

	it('what is not understood is refused', () => {
		expect(() => fillIn(template('  x: {{ lookup "v1" }}'), VALUES)).toThrow('not understood');
		expect(() => fillIn(template('{{- if .Values.a }}', '{{- else }}', '{{- end }}'), VALUES)).toThrow(
			'not understood',
		);
	});
});
