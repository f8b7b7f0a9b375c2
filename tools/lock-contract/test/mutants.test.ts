// Facts about the mutants that need no API server.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../src/mutants/all-mutants.ts';
import { isModule, mutatedText, REFERENCE } from '../src/mutants/breed-mutant.ts';
import { mutantTable } from '../src/mutants/mutant-table.ts';
import { RULE_IDS } from '../src/rule.ts';

describe('every mutant', () => {
	it.each(MUTANTS)('applies to the reference: $bug', (each) => {
		for (const { file } of each.changes) {
			expect(isModule(file)).toBe(true);
			expect(mutatedText(each.changes, file)).not.toBe(readFileSync(new URL(file, REFERENCE), 'utf8'));
		}
	});

	it('has a bug of its own', () => {
		const bugs = MUTANTS.map(({ rule, bug }) => `${rule} ${bug}`);
		expect(bugs).toEqual([...new Set(bugs)]);
	});
});

it('every rule has a mutant that it must reject', () => {
	expect(new Set(MUTANTS.map(({ rule }) => rule))).toEqual(new Set(RULE_IDS));
});

it('the README lists them all', () => {
	const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
	expect(readme).toContain(mutantTable(MUTANTS));
});

it.each([
	{ old: 'no such text in any module', want: 'stands 0 times' },
	{ old: 'const', want: /stands \d+ times/ },
])('a change to "$old" is rejected: it does not stand there exactly once', ({ old, want }) => {
	expect(() => mutatedText([{ file: 'lock/lock-queue.ts', old, new: 'y' }], 'lock/lock-queue.ts')).toThrow(want);
});
