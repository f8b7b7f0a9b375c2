import { describe, expect, it } from 'vitest';
import { aRequest, aWorkflow } from '../../test/harness/made-up.ts';
import type { RemediationWorkflowMatch } from '../generated/remediation-workflow.ts';
import { selectWorkflow } from './workflow-match.ts';

const request = aRequest();
const signalled = (changes: Partial<typeof request.signal>) => ({
	...request,
	signal: { ...request.signal, ...changes },
});

describe('the name of a signal', () => {
	it.each([
		{ signalNames: ['Crash'], name: 'Crash', want: true },
		{ signalNames: ['Crash'], name: 'crash', want: false },
		{ signalNames: ['Crash'], name: 'Crash2', want: false },
		{ signalNames: ['A', 'Crash'], name: 'Crash', want: true },
		{ signalNames: ['Cra.h'], name: 'Crash', want: false }, // not an expression: no ^
		{ signalNames: ['^Cra.h$'], name: 'Crash', want: true },
		{ signalNames: ['^Cra.h$'], name: 'xCrash', want: false },
		{ signalNames: ['^Cra$'], name: 'Crash', want: false },
		// Anchors belong to one side of an alternative each, and still the whole name must fit.
		{ signalNames: ['^Cra|ash$'], name: 'Crash', want: false },
		{ signalNames: ['^Cra|ash$'], name: 'ash', want: true },
		{ signalNames: ['^(?i)crash$'], name: 'CRASH', want: true },
		{ signalNames: ['^[[:upper:]][[:lower:]]+$'], name: 'Crash', want: true },
		{ signalNames: ['^\\Qa.b\\E$'], name: 'a.b', want: true },
		{ signalNames: ['^\\Qa.b\\E$'], name: 'axb', want: false },
		{ signalNames: ['^(?P<word>\\pL+)$'], name: 'Überlauf', want: true },
		{ signalNames: ['^Node.*$', '^Pod.*$'], name: 'PodX', want: true },
		{ signalNames: ['^$'], name: 'Crash', want: false },
	])('$name and $signalNames: $want', ({ signalNames, name, want }) => {
		expect(aWorkflow('w', { match: { signalNames } }).namesSignal(name)).toBe(want);
	});

	it('is no criterion when no names are given', () => {
		expect(aWorkflow('w', { match: { severities: ['critical'] } }).namesSignal('anything')).toBe(true);
	});

	it('takes no longer for an expression that would never end elsewhere', () => {
		const workflow = aWorkflow('w', { match: { signalNames: ['^(a+)+(b+)+$'] } });
		expect(workflow.namesSignal(`${'a'.repeat(250)}!`)).toBe(false);
	});

	// The API server compiles with another release of the same engine, and may take what ours does not know.
	it('that only a newer engine could read fits nothing, and stops no other name of the workflow', () => {
		const workflow = aWorkflow('w', { match: { signalNames: ['^\\p{NoSuchClass}$', '^Cr.*$', 'Exact'] } });
		expect(workflow.namesSignal('x')).toBe(false);
		expect(workflow.namesSignal('Crash')).toBe(true);
		expect(workflow.namesSignal('Exact')).toBe(true);
		expect(workflow.unreadable).toEqual(['^\\p{NoSuchClass}$']);
		expect(aWorkflow().unreadable).toEqual([]);
	});
});

describe('the other criteria', () => {
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
	])('$match fits: $want', ({ match, want }) => {
		const labelled = signalled({ labels: { team: 'a', empty: '' } });
		expect(selectWorkflow([aWorkflow('w', { match })], labelled)?.name).toBe(want);
	});
});

describe('of several that fit', () => {
	it.each([
		{ why: 'none', workflows: [], want: undefined },
		{
			why: 'the highest priority',
			workflows: [aWorkflow('a', { priority: 1 }), aWorkflow('b', { priority: 2 })],
			want: 'b',
		},
		{ why: 'the first by name', workflows: [aWorkflow('b'), aWorkflow('a'), aWorkflow('c')], want: 'a' },
		{
			why: 'priority before name, and fit before priority',
			workflows: [
				aWorkflow('a'),
				aWorkflow('z', { priority: 1 }),
				aWorkflow('x', { priority: 9, match: { signalNames: ['X'] } }),
			],
			want: 'z',
		},
	])('$why, in whatever order they are known', ({ workflows, want }) => {
		expect(selectWorkflow(workflows, request)?.name).toBe(want);
		expect(selectWorkflow(workflows.toReversed(), request)?.name).toBe(want);
	});
});
