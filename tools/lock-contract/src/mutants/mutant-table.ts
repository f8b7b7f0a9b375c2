// The table of the README: the bugs that each rule is known to find.

import { RULE_IDS } from '../rule.ts';
import type { Mutant } from './mutant.ts';

export function mutantTable(mutants: readonly Mutant[]): string {
	const rows = RULE_IDS.map((id) => {
		const bugs = mutants.filter(({ rule }) => rule === id).map(({ bug }) => bug);
		return `| ${id} | ${bugs.join('; ')} |`;
	});
	return ['| rule | rejects a lock that has this bug |', '| --- | --- |', ...rows].join('\n');
}
