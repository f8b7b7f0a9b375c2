// docs/workflows.md names what the code names.
import { expect, it } from 'vitest';
import { DEFAULT_PATTERN } from '../src/decide/workflow/parameter-template.ts';
import { READY_REASONS } from '../src/decide/workflow/workflow-readiness.ts';
import { MAX_EXPRESSIONS_SIZE } from '../src/objects/expressions/workflow-expressions.ts';
import { WORKFLOWS_PAGE, workflowExamples } from './harness/workflows-page.ts';

type Step = { readonly script?: string; readonly args?: readonly string[]; readonly securityContext?: object };

it('the page has every reason of a condition Ready that is False, with what it means', () => {
	const { Valid: _, ...notReady } = READY_REASONS;
	const rows = Object.entries(notReady).map(([reason, means]) => `| ${reason} | ${means} |`);
	expect(WORKFLOWS_PAGE).toContain(`\n${rows.join('\n')}\n`);
});

it('the page has the default pattern and the limit of expressions', () => {
	expect(WORKFLOWS_PAGE).toContain(`\n${DEFAULT_PATTERN}\n`);
	expect(WORKFLOWS_PAGE).toContain(`may compile to ${MAX_EXPRESSIONS_SIZE} instructions`);
});

it('the page has examples that work, that are refused, and that are not ready', () => {
	const examples = workflowExamples();
	expect(examples.filter(({ refused, notReady }) => refused === undefined && notReady === undefined)).toHaveLength(4);
	expect(examples.filter(({ refused }) => refused !== undefined)).toHaveLength(3);
	expect(examples.filter(({ notReady }) => notReady !== undefined)).toHaveLength(2);
});

it('the pipelines of the examples take parameters from their environment, and ask for no privilege', () => {
	const steps = workflowExamples()
		.flatMap(({ workflow }) => workflow.spec.pipelineSpec?.tasks ?? [])
		.flatMap((task) => (task as { readonly taskSpec?: { readonly steps: readonly Step[] } }).taskSpec?.steps ?? []);
	expect(steps.length).toBeGreaterThan(0);
	for (const { script = '', args = [], securityContext } of steps) {
		expect([script, ...args].join(' ')).not.toContain('$(params.');
		expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } });
	}
});
