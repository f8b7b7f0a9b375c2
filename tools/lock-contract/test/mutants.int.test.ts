// Tests of the suite itself: every mutant must be rejected, by the rule that is named, with an assertion.
import { mkdirSync } from 'node:fs';
import { scratchDirectory } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LeaseSite, openLeaseSite, withModules } from '../src/lease/lease-site.ts';
import { loadModules } from '../src/lease/load-modules.ts';
import { MUTANTS } from '../src/mutants/all-mutants.ts';
import { breedMutant, REFERENCE, REFERENCE_APP } from '../src/mutants/breed-mutant.ts';
import { MUTANTS_AT_ONCE, type Mutant } from '../src/mutants/mutant.ts';
import { mutantFolder } from '../src/mutants/mutant-errors.ts';
import { failures, judge, trialsOf } from '../src/mutants/verdict.ts';
import { PATIENCE_MS, PATIENCE_WITH_MUTANTS_MS, setPatience } from '../src/patience.ts';
import { RULE_IDS } from '../src/rule.ts';

const freeSites: LeaseSite[] = [];
const rejecting = new Set<string>();
const TRIALS = RULE_IDS.flatMap(trialsOf);

async function bred(changes: Mutant['changes'], directory: string) {
	mkdirSync(directory, { recursive: true });
	return loadModules({ lock: breedMutant(changes, directory), others: REFERENCE });
}

beforeAll(async () => {
	// Bred like a mutant, so that no check rejects the breeding; but not in a mutant's folder: its errors count.
	const unchanged = await bred([], await scratchDirectory());
	for (let n = 0; n < MUTANTS_AT_ONCE; n++) freeSites.push(await openLeaseSite(REFERENCE_APP, unchanged));
});
afterAll(async () => {
	for (const site of freeSites) await site.close();
});

describe.concurrent('each mutant is rejected by its rule', () => {
	beforeAll(() => setPatience(PATIENCE_WITH_MUTANTS_MS));
	afterAll(() => setPatience(PATIENCE_MS));

	it.each(MUTANTS)('$rule $bug', async ({ rule, changes }) => {
		const modules = await bred(changes, mutantFolder(await scratchDirectory()));
		const free = freeSites.pop();
		if (free === undefined) throw new Error('there are as many sites as mutants at once');
		const site = withModules(free, modules);
		try {
			const { rejectedBy, accidents } = await judge(site, trialsOf(rule));
			expect(rejectedBy, `${rule} lets it pass; accidents: ${accidents.join(' | ')}`).not.toEqual([]);
			for (const title of rejectedBy) rejecting.add(title);
		} finally {
			await site.close();
			freeSites.push(free);
		}
	});
});

it.each(TRIALS.filter(({ part }) => part === 'any lock'))('rejected a mutant: $title', ({ title }) => {
	expect([...rejecting]).toContain(title);
});

it('a lock that was bred without a change passes every check that rejected a mutant', async () => {
	const [site] = freeSites;
	if (site === undefined) throw new Error('all sites are free again');
	const trials = TRIALS.filter(({ title }) => rejecting.has(title));
	const verdict = await failures(trials.map(({ title, run }) => ({ title, run: () => run(site) })));
	expect(verdict).toEqual({ rejectedBy: [], accidents: [] });
}, 240_000);
