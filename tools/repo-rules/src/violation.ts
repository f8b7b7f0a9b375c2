/** One thing that is not as it should be, in words that say what to do about it. */
export type Violation = {
	/** The file or folder, from the root of the repository. */
	readonly where: string;
	readonly what: string;
};

export type Rule = (root: string) => readonly Violation[] | Promise<readonly Violation[]>;

export function describeViolations(violations: readonly Violation[]): string {
	return violations.map(({ where, what }) => `${where}: ${what}`).join('\n');
}
