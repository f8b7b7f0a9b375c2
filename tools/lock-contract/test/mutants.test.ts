// What can be known of the mutants without an API server.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../mutants/mutants.ts';
import { isRoom, mutatedText, REFERENCE } from '../src/breed-mutant.ts';
import { mutantTable } from '../src/mutant-table.ts';
import { RULE_IDS } from '../src/rule.ts';
import { RULES } from '../src/rules.ts';

describe('every mutant', () => {
	it.each(MUTANTS)('applies to the reference: $bug', (each) => {
		for (const { file } of each.changes) {
			expect(isRoom(file)).toBe(true);
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
	expect(readme).toContain(mutantTable(RULES, MUTANTS));
});

it.each([
	{ old: 'no such text in any room', want: 'stands 0 times' },
	{ old: 'const', want: /stands \d+ times/ },
])('a change to "$old" is refused: it does not stand there exactly once', ({ old, want }) => {
	expect(() => mutatedText([{ file: 'lock/lock-queue.ts', old, new: 'y' }], 'lock/lock-queue.ts')).toThrow(want);
});
