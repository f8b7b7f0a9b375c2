import { expect, it } from 'vitest';
import { anExecution, aRequest, aWorkflow } from '../../../test/harness/made-up.ts';
import type { Remediation } from '../../objects/remediation.ts';
import { countingWriter } from './workflow-counts.ts';

const execution = anExecution({ uid: 'we', workflowName: 'ran' });
const executionRef = { name: 'we-0', uid: 'we' };

/** What is counted for a write that makes `after` of `before`; undefined when it is not accepted. */
async function counted(before: Partial<Remediation>, after: Partial<Remediation> | undefined): Promise<string[]> {
	const counts: string[] = [];
	const list = [aWorkflow('chosen')];
	const writer = countingWriter(
		{
			write: async () => (after === undefined ? undefined : aRequest(after)),
			notify: async () => {},
			refresh: async () => undefined,
		},
		{ workflows: { list }, executions: { by: () => [execution] } },
		{ workflowCounted: (name, result) => counts.push(`${name} ${result}`) },
	);
	await writer.write(aRequest(before), () => ({}), { do: 'execute', message: 'm' });
	return counts;
}

it.each<{ why: string; before: Partial<Remediation>; after: Partial<Remediation> | undefined; want: string[] }>([
	{ why: 'the first decision', before: {}, after: { phase: 'Blocked' }, want: ['chosen matched'] },
	{
		why: 'the first decision, that it runs',
		before: {},
		after: { phase: 'Executing', executionRef },
		want: ['chosen matched', 'ran executed'],
	},
	{
		why: 'that it runs',
		before: { phase: 'Blocked' },
		after: { phase: 'Executing', executionRef },
		want: ['ran executed'],
	},
	{
		why: 'a success',
		before: { phase: 'Executing', executionRef },
		after: { phase: 'Completed', outcome: 'Remediated', executionRef },
		want: ['ran succeeded'],
	},
	{
		why: 'a failure',
		before: { phase: 'Executing', executionRef },
		after: { phase: 'Failed', outcome: 'RemediationFailed', executionRef },
		want: ['ran failed'],
	},
	{
		why: 'a lost execution',
		before: { phase: 'Executing', executionRef },
		after: { phase: 'Failed', outcome: 'ExecutionLost', executionRef },
		want: [],
	},
	{
		why: 'an end that was inherited',
		before: { phase: 'Blocked' },
		after: { phase: 'Failed', outcome: 'RemediationFailed' },
		want: [],
	},
	{ why: 'another block', before: { phase: 'Blocked' }, after: { phase: 'Blocked' }, want: [] },
	{ why: 'a write that is not accepted', before: {}, after: undefined, want: [] },
])('$why counts $want', async ({ before, after, want }) => {
	expect(await counted(before, after)).toEqual(want);
});
