// A mutant: the reference lock with one bug. The suite must reject it by the rule that is named.
import type { RuleId } from '../rule.ts';

/** Each has a namespace of its own. */
export const MUTANTS_AT_ONCE = 4;

/** `old` stands in the reference exactly once; a mutant that does not apply any more fails the self-test. */
export type Edit = { readonly file: string; readonly old: string; readonly new: string };
/** The whole file, where an edit is not enough. */
export type Replacement = { readonly file: string; readonly whole: URL };

export type Mutant = {
	/** The bug in words. */
	readonly bug: string;
	readonly rule: RuleId;
	readonly changes: readonly (Edit | Replacement)[];
};

/** The common case: one place in one file. */
export function mutant(rule: RuleId, bug: string, file: string, old: string, replacement: string): Mutant {
	return { bug, rule, changes: [{ file, old, new: replacement }] };
}
