// All mutants, in the order of the rules that reject them.

import { RULE_IDS } from '../rule.ts';
import { ACQUIRING } from './acquiring.ts';
import { KEEPING } from './keeping.ts';
import { LEAVING } from './leaving.ts';
import type { Mutant } from './mutant.ts';

export const MUTANTS: readonly Mutant[] = [...ACQUIRING, ...KEEPING, ...LEAVING].toSorted(
	(a, b) => RULE_IDS.indexOf(a.rule) - RULE_IDS.indexOf(b.rule),
);
