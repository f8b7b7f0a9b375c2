// All mutants, in the order of the rules that reject them.
import type { Mutant } from '../src/mutant.ts';
import { RULE_IDS } from '../src/rule.ts';
import { ACQUIRING } from './acquiring.ts';
import { KEEPING } from './keeping.ts';
import { LEAVING } from './leaving.ts';

export const MUTANTS: readonly Mutant[] = [...ACQUIRING, ...KEEPING, ...LEAVING].toSorted(
	(a, b) => RULE_IDS.indexOf(a.rule) - RULE_IDS.indexOf(b.rule),
);
