import { expect, it } from 'vitest';
import { aRequest, aWorkflow } from '../../../test/harness/made-up.ts';
import { mentionedTexts, onlyMentioned } from './mentioned-texts.ts';
import { fillParameters } from './parameter-template.ts';
import { selectWorkflow } from './workflow-match.ts';

const parameters = {
	A: '{{ labels.app.kubernetes.io/name }} {{annotations.runbook}}',
	B: '{{ target.name }} {{ labels.absent }} {{ labels. }} {{ nothing }}',
};
const workflows = [
	aWorkflow('one', { match: { labels: { team: 'a' } }, parameters }),
	aWorkflow('two', { match: { signalNames: ['Crash'] } }),
];
const request = aRequest();
const labels = { team: 'a', 'app.kubernetes.io/name': 'cart', other: 'x'.repeat(1000) };
const annotations = { runbook: 'r', team: 'not this one' };
const whole = { ...request, signal: { ...request.signal, labels, annotations } };

it('keeps the labels and annotations that workflows match or fill parameters with, and no others', () => {
	expect(onlyMentioned(whole.signal, mentionedTexts(workflows))).toEqual({
		labels: { team: 'a', 'app.kubernetes.io/name': 'cart' },
		annotations: { runbook: 'r' },
	});
	expect(onlyMentioned(whole.signal, mentionedTexts([]))).toEqual({ labels: {}, annotations: {} });
});

it('changes no choice of a workflow and no parameter', () => {
	const cut = { ...whole, signal: { ...whole.signal, ...onlyMentioned(whole.signal, mentionedTexts(workflows)) } };
	expect(selectWorkflow(workflows, cut)).toBe(selectWorkflow(workflows, whole));
	for (const [name, template] of Object.entries(parameters)) {
		const workflow = aWorkflow('w', { parameters: { [name]: template } });
		expect(fillParameters(workflow, cut)).toEqual(fillParameters(workflow, whole));
	}
});
