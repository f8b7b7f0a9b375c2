// The table of the README: which bugs each rule is known to find.
import type { Mutant } from './mutant.ts';
import type { Rule } from './rule.ts';

export function mutantTable(rules: readonly Pick<Rule, 'id'>[], mutants: readonly Mutant[]): string {
	const rows = rules.map(({ id }) => {
		const bugs = mutants.filter(({ rule }) => rule === id).map(({ bug }) => bug);
		return `| ${id} | ${bugs.join('; ')} |`;
	});
	return ['| rule | rejects a lock that has this bug |', '| --- | --- |', ...rows].join('\n');
}
