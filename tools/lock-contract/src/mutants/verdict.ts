// How a mutant is judged: by the checks of its rule that fail with an assertion. A check that ends in another way proves
// nothing.
import { LOCK_RULES } from '../any-lock/lock-rules.ts';
import { LockStage } from '../any-lock/lock-stage.ts';
import { LEASE_RULES } from '../lease/lease-rules.ts';
import type { LeaseSite } from '../lease/lease-site.ts';
import { LeaseStage } from '../lease/lease-stage.ts';
import { type Check, type RuleId, runCheck } from '../rule.ts';

export type Verdict = {
	/** Titles. All checks of part one that rejected the mutant; of part two the first, and only when there is none before. */
	readonly rejectedBy: readonly string[];
	/** Checks that ended with another error. */
	readonly accidents: readonly string[];
};
export type Part = 'any lock' | 'Lease';

/** A check with its stage, so that checks of both parts can stand in one list. */
export type Trial = { readonly title: string; readonly part: Part; run(site: LeaseSite): Promise<void> };

export function trialsOf(rule: RuleId): Trial[] {
	const inPartOne = LOCK_RULES.find(({ id }) => id === rule)?.checks ?? [];
	const inPartTwo = LEASE_RULES.find(({ id }) => id === rule)?.checks ?? [];
	return [
		...inPartOne.map((check) => trial(rule, 'any lock', check, (site) => new LockStage(site))),
		...inPartTwo.map((check) => trial(rule, 'Lease', check, (site) => new LeaseStage(site))),
	];
}

export async function judge(site: LeaseSite, trials: readonly Trial[]): Promise<Verdict> {
	const inPart = (wanted: Part) =>
		trials.filter(({ part }) => part === wanted).map(({ title, run }) => ({ title, run: () => run(site) }));
	const inPartOne = await failures(inPart('any lock'));
	if (inPartOne.rejectedBy.length > 0) return inPartOne;
	const inPartTwo = await failures(inPart('Lease'), 1);
	return { ...inPartTwo, accidents: [...inPartOne.accidents, ...inPartTwo.accidents] };
}

export async function failures(
	trials: readonly { readonly title: string; run(): Promise<void> }[],
	maxRejections = Infinity,
): Promise<Verdict> {
	const rejectedBy: string[] = [];
	const accidents: string[] = [];
	for (const { title, run } of trials) {
		if (rejectedBy.length >= maxRejections) break;
		try {
			await run();
		} catch (error) {
			if (error instanceof Error && error.name === 'AssertionError') rejectedBy.push(title);
			else accidents.push(`${title}: ${String(error)}`);
		}
	}
	return { rejectedBy, accidents };
}

function trial<Stage extends { close(): Promise<void> }>(
	rule: RuleId,
	part: Part,
	check: Check<Stage>,
	openStage: (site: LeaseSite) => Stage,
): Trial {
	return { title: `${rule} (${part}) ${check.title}`, part, run: (site) => runCheck(openStage(site), check) };
}
