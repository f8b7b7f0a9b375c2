// How a mutant is judged: by the first check of its rule that says no, in the check's own words.
import type { ExamSite } from './exam-site.ts';
import { type Check, type Rule, runCheck } from './rule.ts';

export type Verdict = {
	readonly rejectedBy: Check | undefined;
	/** Checks that ended in another way than by an assertion: they prove nothing. */
	readonly accidents: readonly string[];
};

export async function firstRejection(site: ExamSite, { checks }: Rule): Promise<Verdict> {
	const accidents: string[] = [];
	for (const check of checks) {
		try {
			await runCheck(site, check);
		} catch (error) {
			if (error instanceof Error && error.name === 'AssertionError') return { rejectedBy: check, accidents };
			accidents.push(`${check.title}: ${String(error)}`);
		}
	}
	return { rejectedBy: undefined, accidents };
}
