import { describe, expect, it } from 'vitest';
import { aRequest, aWorkflow } from '../../test/harness/made-up.ts';
import type { RemediationWorkflowMatch } from '../generated/remediation-workflow.ts';
import { selectWorkflow } from './workflow-match.ts';

const request = aRequest();
const signalled = (changes: Partial<typeof request.signal>) => ({
	...request,
	signal: { ...request.signal, ...changes },
});

describe('the criteria of a workflow', () => {
	const crash = { signalNames: ['Crash'] };
	it.each<{ match: RemediationWorkflowMatch; want: string | undefined }>([
		{ match: { ...crash, targetKinds: ['Pod', 'Deployment'] }, want: 'w' },
		{ match: { ...crash, targetKinds: ['deployment'] }, want: undefined },
		{ match: { ...crash, severities: ['warning', 'critical'] }, want: 'w' },
		{ match: { ...crash, severities: ['warning'] }, want: undefined },
		{ match: { ...crash, labels: { team: 'a' } }, want: 'w' },
		{ match: { ...crash, labels: { team: 'a', zone: '1' } }, want: undefined },
		{ match: { ...crash, labels: { team: 'b' } }, want: undefined },
		{ match: { ...crash, labels: { team: '' } }, want: undefined },
		{ match: { ...crash, labels: { none: '' } }, want: undefined }, // absent is not empty
		{ match: { ...crash, labels: { constructor: '' } }, want: undefined },
		{ match: { labels: { team: 'a' } }, want: 'w' },
		{ match: { signalNames: ['Other'], labels: { team: 'a' } }, want: undefined },
	])('$match selects: $want', ({ match, want }) => {
		const labelled = signalled({ labels: { team: 'a', empty: '' } });
		expect(selectWorkflow([aWorkflow('w', { match })], labelled)?.name).toBe(want);
	});
});

describe('of several workflows that match', () => {
	it.each([
		{ why: 'none', workflows: [], want: undefined },
		{
			why: 'the highest priority',
			workflows: [aWorkflow('a', { priority: 1 }), aWorkflow('b', { priority: 2 })],
			want: 'b',
		},
		{ why: 'the first by name', workflows: [aWorkflow('b'), aWorkflow('a'), aWorkflow('c')], want: 'a' },
		{
			why: 'by priority before name, and by match before priority',
			workflows: [
				aWorkflow('a'),
				aWorkflow('z', { priority: 1 }),
				aWorkflow('x', { priority: 9, match: { signalNames: ['X'] } }),
			],
			want: 'z',
		},
	])('the choice is $why, in whatever order they are known', ({ workflows, want }) => {
		expect(selectWorkflow(workflows, request)?.name).toBe(want);
		expect(selectWorkflow(workflows.toReversed(), request)?.name).toBe(want);
	});
});
