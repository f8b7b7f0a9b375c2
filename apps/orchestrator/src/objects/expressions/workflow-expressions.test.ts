import { describe, expect, it } from 'vitest';
import { COSTLY_EXPRESSIONS } from '../../../test/harness/costly-expressions.ts';
import { aWorkflow } from '../../../test/harness/made-up.ts';
import { expressionSize } from './expression-size.ts';
import { MAX_EXPRESSIONS_SIZE } from './workflow-expressions.ts';

const namedBy = (...signalNames: string[]) => aWorkflow('w', { match: { signalNames } }).expressions;

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
		expect(namedBy(...signalNames).namesSignal(name)).toBe(want);
		expect(namedBy(...signalNames).namesSignal(name)).toBe(want);
	});

	it('match any name when the workflow gives none', () => {
		const { expressions } = aWorkflow('w', { match: { severities: ['critical'] } });
		expect(expressions.namesSignal('anything')).toBe(true);
	});

	it('are matched in linear time, also by an expression that would backtrack without end elsewhere', () => {
		expect(namedBy('^(a+)+(b+)+$').namesSignal(`${'a'.repeat(250)}!`)).toBe(false);
	});

	// The API server compiles with another release of the same engine, and may take what ours does not know.
	it('that cannot be compiled match nothing, and do not affect the other names of the workflow', () => {
		const expressions = namedBy('^\\p{NoSuchClass}$', '^Cr.*$', 'Exact');
		expect(expressions.namesSignal('x')).toBe(false);
		expect(expressions.namesSignal('Crash')).toBe(true);
		expect(expressions.namesSignal('Exact')).toBe(true);
		expect(expressions.problems()).toEqual([
			{
				reason: 'ExpressionUnreadable',
				message: 'match.signalNames: ^\\p{NoSuchClass}$ cannot be compiled here and matches nothing',
			},
		]);
		expect(aWorkflow().expressions.problems()).toEqual([]);
	});

	it('that are too costly together are not used; plain names are, and the message names the largest', () => {
		const expressions = namedBy('Exact', '^Cr.*$', '^((.{10}){100})*$', '^(.{10}){99}$');
		expect(expressions.namesSignal('Exact')).toBe(true);
		expect(expressions.namesSignal('Crash')).toBe(false);
		expect(expressions.problems()).toEqual([
			{
				reason: 'ExpressionTooCostly',
				message: expect.stringMatching(
					/^match\.signalNames: the expressions compile to about \d{4} instructions, and at most 2000 are allowed, so none of them is used; the largest is \^\(\(\.\{10\}\)\{100\}\)\*\$ with \d{4}: /,
				),
			},
		]);
	});

	it('that would stop a replica for most of a minute cost nothing', () => {
		const startedAt = performance.now();
		expect(namedBy(...COSTLY_EXPRESSIONS).namesSignal('a'.repeat(256))).toBe(false);
		expect(performance.now() - startedAt).toBeLessThan(200);
	});

	it('as costly as allowed are matched within the time that a pause may take', () => {
		const largest = '^(?:[ab]?[ac]?[ad]?){41}x$';
		const signalNames = Array.from({ length: 5 }, (_, i) => `${largest.slice(0, -2)}${i}$`);
		expect(signalNames.reduce((sum, source) => sum + expressionSize(source), 0)).toBeGreaterThan(
			0.8 * MAX_EXPRESSIONS_SIZE,
		);
		const expressions = namedBy(...signalNames);
		expect(expressions.problems()).toEqual([]);
		const startedAt = performance.now();
		expect(expressions.namesSignal('a'.repeat(256))).toBe(false);
		expect(performance.now() - startedAt).toBeLessThan(200);
	});
});

describe('the pattern of a parameter', () => {
	const patterned = (pattern: string) => aWorkflow('w', { parameterPatterns: { P: pattern } }).expressions;

	it('is absent, or must match the whole value', () => {
		expect(patterned('^a+$').patternOf('Q')).toBeUndefined();
		expect(patterned('^a+$').patternOf('constructor')).toBeUndefined();
		const pattern = patterned('^a|b$').patternOf('P');
		expect(pattern?.source).toBe('^a|b$');
		expect(['a', 'b', 'ax', 'xb', 'a\n'].map((value) => pattern?.fits(value))).toEqual([
			true,
			true,
			false,
			false,
			false,
		]);
	});

	it.each([
		{ pattern: '^\\p{NoSuchClass}$', reason: 'PatternUnreadable' },
		{ pattern: '^((.{10}){100}){3}$', reason: 'PatternTooCostly' },
	])('$pattern fits nothing and is a problem: $reason', ({ pattern, reason }) => {
		expect(patterned(pattern).patternOf('P')?.fits('')).toBe(false);
		expect(patterned(pattern).problems()).toMatchObject([{ reason }]);
	});
});
