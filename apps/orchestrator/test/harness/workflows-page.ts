// The examples of docs/workflows.md, with what their first line says of them.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { NewRemediationWorkflow } from '../../src/generated/remediation-workflow.ts';

export type WorkflowExample = {
	readonly name: string;
	readonly workflow: NewRemediationWorkflow;
	/** A part of the API server's message; absent when it accepts the example. */
	readonly refused?: string;
	/** The reason of the condition Ready; absent when it is True. */
	readonly notReady?: string;
};

export const WORKFLOWS_PAGE = readFileSync(new URL('../../../../docs/workflows.md', import.meta.url), 'utf8');

export function workflowExamples(): WorkflowExample[] {
	return [...WORKFLOWS_PAGE.matchAll(/^```yaml\n(?:# (refused|not ready): ([^\n]+)\n)?(.*?)^```$/gms)].map(
		([, word, text, yaml = '']) => {
			const workflow = parse(yaml) as NewRemediationWorkflow;
			return {
				name: workflow.metadata.name,
				workflow,
				...(word === 'refused' && text !== undefined ? { refused: text } : {}),
				...(word === 'not ready' && text !== undefined ? { notReady: text } : {}),
			};
		},
	);
}
