// A rule of the contract, and the facts by which a lock is seen to keep it.
import { ExamRoom } from './exam-room.ts';
import type { ExamSite } from './exam-site.ts';

export const RULE_IDS = [
	'L1',
	'L2',
	'L3',
	'L4',
	'L5',
	'L6',
	'L7',
	'L8',
	'L9',
	'L10',
	'L11',
	'L12',
	'L13',
	'L14',
	'L15',
	'L16',
	'L17',
	'L18',
	'L19',
	'L20',
] as const;
export type RuleId = (typeof RULE_IDS)[number];

export type Check = {
	/** A fact about every lock that keeps the rule. */
	readonly title: string;
	run(room: ExamRoom): Promise<void>;
};
export type Rule = { readonly id: RuleId; readonly title: string; readonly checks: readonly Check[] };

export async function runCheck(site: ExamSite, check: Check): Promise<void> {
	const room = new ExamRoom(site);
	try {
		await check.run(room);
	} finally {
		await room.close();
	}
}
