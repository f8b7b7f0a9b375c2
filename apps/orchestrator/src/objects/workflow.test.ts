import { describe, expect, it } from 'vitest';
import { aWorkflow } from '../../test/harness/made-up.ts';

describe('the signal names of a workflow', () => {
	it.each([
		{ signalNames: ['Crash'], name: 'Crash', want: true },
		{ signalNames: ['Crash'], name: 'crash', want: false },
		{ signalNames: ['Crash'], name: 'Crash2', want: false },
		{ signalNames: ['A', 'Crash'], name: 'Crash', want: true },
		{ signalNames: ['Cra.h'], name: 'Crash', want: false }, // not an expression: no ^
		{ signalNames: ['^Cra.h$'], name: 'Crash', want: true },
		{ signalNames: ['^Cra.h$'], name: 'xCrash', want: false },
		{ signalNames: ['^Cra$'], name: 'Crash', want: false },
		// Anchors belong to one side of an alternative each, and still the whole name must match.
		{ signalNames: ['^Cra|ash$'], name: 'Crash', want: false },
		{ signalNames: ['^Cra|ash$'], name: 'ash', want: true },
		{ signalNames: ['^(?i)crash$'], name: 'CRASH', want: true },
		{ signalNames: ['^[[:upper:]][[:lower:]]+$'], name: 'Crash', want: true },
		{ signalNames: ['^\\Qa.b\\E$'], name: 'a.b', want: true },
		{ signalNames: ['^\\Qa.b\\E$'], name: 'axb', want: false },
		{ signalNames: ['^(?P<word>\\pL+)$'], name: 'Überlauf', want: true },
		{ signalNames: ['^Node.*$', '^Pod.*$'], name: 'PodX', want: true },
		{ signalNames: ['^$'], name: 'Crash', want: false },
	])('$signalNames match $name: $want', ({ signalNames, name, want }) => {
		expect(aWorkflow('w', { match: { signalNames } }).namesSignal(name)).toBe(want);
	});

	it('match any name when the workflow gives none', () => {
		expect(aWorkflow('w', { match: { severities: ['critical'] } }).namesSignal('anything')).toBe(true);
	});

	it('are matched in linear time, also by an expression that would backtrack without end elsewhere', () => {
		const workflow = aWorkflow('w', { match: { signalNames: ['^(a+)+(b+)+$'] } });
		expect(workflow.namesSignal(`${'a'.repeat(250)}!`)).toBe(false);
	});

	// The API server compiles with another release of the same engine, and may take what ours does not know.
	it('that cannot be compiled match nothing, and do not affect the other names of the workflow', () => {
		const workflow = aWorkflow('w', { match: { signalNames: ['^\\p{NoSuchClass}$', '^Cr.*$', 'Exact'] } });
		expect(workflow.namesSignal('x')).toBe(false);
		expect(workflow.namesSignal('Crash')).toBe(true);
		expect(workflow.namesSignal('Exact')).toBe(true);
		expect(workflow.unreadable).toEqual(['^\\p{NoSuchClass}$']);
		expect(aWorkflow().unreadable).toEqual([]);
	});
});
