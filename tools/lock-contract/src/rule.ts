// A rule of the contract, and the facts by which a lock is seen to keep it.

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

/** What a lock may lack, if it says why. */
const CAPABILITIES = ['withLock', 'metrics'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export type Check<Stage> = {
	/** A fact about every lock that keeps the rule. */
	readonly title: string;
	readonly needs?: Capability;
	run(stage: Stage): Promise<void>;
};
export type Rule<Stage> = { readonly id: RuleId; readonly title: string; readonly checks: readonly Check<Stage>[] };

export async function runCheck<Stage extends { close(): Promise<void> }>(
	stage: Stage,
	check: Check<Stage>,
): Promise<void> {
	try {
		await check.run(stage);
	} finally {
		await stage.close();
	}
}
