// The exam that every lock sits: describeLockContract, in an app's test/distributed-lock.contract.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockRooms } from './contract-types.ts';
import { type ExamSite, openSite } from './exam-site.ts';
import { type Check, type RuleId, runCheck } from './rule.ts';
import { RULES } from './rules.ts';

export type { LockDirectories, LockRooms } from './contract-types.ts';
export type { RuleId } from './rule.ts';

/** Rules that do not apply to a lock, each with the reason in words. */
export type Waivers = Partial<Readonly<Record<RuleId, string>>>;

const FEWEST_WORDS_OF_A_REASON = 4;

export function describeLockContract(app: string, rooms: LockRooms, waivers: Waivers = {}): void {
	describe(`the lock of ${app} keeps the contract`, () => {
		let site: ExamSite;
		beforeAll(async () => {
			site = await openSite(app, rooms);
		});
		afterAll(() => site.close());

		describe.each(RULES)('$id $title', ({ id, checks }) => {
			const reason = waivers[id];
			it.each(reason === undefined ? checks : [waived(reason)])('$title', (check) => runCheck(site, check));
		});
	});
}

function waived(reason: string): Check {
	return {
		title: `is waived: ${reason}`,
		run: async () =>
			expect(reason.split(/\s+/).length, 'a waiver says why').toBeGreaterThanOrEqual(FEWEST_WORDS_OF_A_REASON),
	};
}
