// Who examines the exam: every mutant must be rejected, by the rule that is named, with an assertion.
import { scratchDirectory } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MUTANTS } from '../mutants/mutants.ts';
import { breedMutant, REFERENCE, REFERENCE_APP } from '../src/breed-mutant.ts';
import { type ExamSite, openSite, withRooms } from '../src/exam-site.ts';
import { firstRejection } from '../src/first-rejection.ts';
import { loadRooms } from '../src/load-rooms.ts';
import { MUTANTS_AT_ONCE, type Mutant } from '../src/mutant.ts';
import { PATIENCE_MS, PATIENCE_WITH_MUTANTS_MS, setPatience } from '../src/patience.ts';
import { type Check, runCheck } from '../src/rule.ts';
import { L1 } from '../src/rules/l01-one-holder.ts';
import { RULES } from '../src/rules.ts';

const freeSites: ExamSite[] = [];
const rejecting = new Set<Check>();

async function bred(changes: Mutant['changes']) {
	const lock = breedMutant(changes, await scratchDirectory());
	return loadRooms({ lock, others: REFERENCE });
}

beforeAll(async () => {
	// In the same way as a mutant: a bug of the breeding must not be what the checks reject.
	const rooms = await bred([]);
	for (let n = 0; n < MUTANTS_AT_ONCE; n++) freeSites.push(await openSite(REFERENCE_APP, rooms));
});
afterAll(async () => {
	for (const site of freeSites) await site.close();
});

describe.concurrent('each mutant is rejected by its rule', () => {
	beforeAll(() => setPatience(PATIENCE_WITH_MUTANTS_MS));
	afterAll(() => setPatience(PATIENCE_MS));

	it.each(MUTANTS)('$rule $bug', async (mutant) => {
		const rule = RULES.find(({ id }) => id === mutant.rule);
		const rooms = await bred(mutant.changes);
		const place = freeSites.pop();
		if (rule === undefined || place === undefined) throw new Error('every rule exists, and every test has its place');
		const site = withRooms(place, rooms);
		try {
			const { rejectedBy, accidents } = await firstRejection(site, rule);
			expect(rejectedBy, `${rule.id} lets it pass; accidents: ${accidents.join(' | ')}`).toBeDefined();
			if (rejectedBy !== undefined) rejecting.add(rejectedBy);
		} finally {
			await site.close();
			freeSites.push(place);
		}
	});
});

describe('a lock that was bred without a change', () => {
	it('passes every check that rejected a mutant, and those that need processes', async () => {
		const [site] = freeSites;
		if (site === undefined) throw new Error('all places are free again');
		expect(rejecting.size).toBeGreaterThan(0);
		for (const check of new Set([...rejecting, ...L1.checks])) await runCheck(site, check);
	}, 120_000);
});
