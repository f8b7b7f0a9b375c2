import { describe, expect, it } from 'vitest';
import { at, aWorkflow, NOW } from '../../../test/harness/made-up.ts';
import type { RemediationWorkflowCondition } from '../../generated/remediation-workflow.ts';
import { conditionsToWrite, describeUnused } from './workflow-readiness.ts';

const now = new Date(NOW + 999);
const ready = (changes: Partial<RemediationWorkflowCondition> = {}): RemediationWorkflowCondition => ({
	type: 'Ready',
	status: 'True',
	reason: 'Valid',
	message: '',
	observedGeneration: 1,
	lastTransitionTime: at(NOW - 60_000),
	...changes,
});
const TOO_COSTLY = { match: { signalNames: ['^((.{10}){100}){3}$'] } };

describe('the condition Ready', () => {
	it.each([
		{ spec: {}, want: { status: 'True', reason: 'Valid', message: '' } },
		{ spec: TOO_COSTLY, want: { status: 'False', reason: 'ExpressionTooCostly' } },
		{
			spec: { match: { signalNames: ['^\\p{NoSuchClass}$'] } },
			want: { status: 'False', reason: 'ExpressionUnreadable' },
		},
		{
			spec: { parameters: { A: 'x', B: '{{ labels.namespace }}' } },
			want: {
				status: 'False',
				reason: 'TemplateInvalid',
				message:
					'parameter B: labels.namespace may differ from what the gateway read from the alert; write {{ target.namespace }}',
			},
		},
		{ spec: { parameters: { P: '{{ unknown }}' } }, want: { status: 'False', reason: 'TemplateInvalid' } },
		{ spec: { parameters: { P: '{{ target' } }, want: { status: 'False', reason: 'TemplateInvalid' } },
		{
			spec: { parameters: { P: 'team={{ labels.team }}' } },
			want: {
				status: 'False',
				reason: 'TemplateInvalid',
				message: expect.stringContaining('the text around its fields'),
			},
		},
		{
			spec: { parameters: { P: 'team={{ labels.team }}' }, parameterPatterns: { P: '^team=[a-z]+$' } },
			want: { status: 'True' },
		},
		{ spec: { parameters: { P: 'rollout restart {{ target.name }}' } }, want: { status: 'True' } },
		{ spec: { parameters: { P: '$(x) `y`\n' } }, want: { status: 'True' } },
	])('of $spec is $want', ({ spec, want }) => {
		expect(conditionsToWrite(aWorkflow('w', spec), now)).toMatchObject([
			{ type: 'Ready', observedGeneration: 1, lastTransitionTime: at(NOW), ...want },
		]);
	});

	it('says all that is wrong, cut to what a condition can hold', () => {
		const parameters = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`P${i}`, '{{ nothing }}']));
		const [condition] = conditionsToWrite(aWorkflow('w', { ...TOO_COSTLY, parameters }), now) ?? [];
		expect(condition).toMatchObject({
			reason: 'ExpressionTooCostly',
			message: expect.stringContaining('parameter P1: '),
		});
		expect(condition?.message).toHaveLength(4096);
	});

	it.each([
		{ why: 'is stored already', stored: ready(), want: undefined },
		{ why: 'is of an older generation', stored: ready({ observedGeneration: 0 }), want: at(NOW - 60_000) },
		{ why: 'has another reason', stored: ready({ reason: 'Other' }), want: at(NOW - 60_000) },
		{ why: 'has another status', stored: ready({ status: 'False' }), want: at(NOW) },
	])('that $why: transition $want', ({ stored, want }) => {
		const other = ready({ type: 'Other' });
		const conditions = conditionsToWrite({ ...aWorkflow(), conditions: [stored, other] }, now);
		expect(conditions).toEqual(want === undefined ? undefined : [other, ready({ lastTransitionTime: want })]);
	});
});

describe('the block of a request that no workflow matches', () => {
	it('names the first workflow whose expressions are not used', () => {
		const workflows = [aWorkflow('c', TOO_COSTLY), aWorkflow('b', TOO_COSTLY), aWorkflow('a')];
		expect(describeUnused(workflows)).toMatch(
			/^; RemediationWorkflow b is not ready: match\.signalNames: the expressions/,
		);
		expect(describeUnused([aWorkflow('a', { parameters: { P: '{{ x }}' } })])).toBe('');
	});
});
