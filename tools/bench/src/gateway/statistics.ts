// Medians, because the machine is noisy; ratios within a round, because both sides of a round see the same machine.

/** Nearest rank: always one of the values. `share` from 0 to 1; NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : ((sorted[sorted.length / 2 - 1] ?? Number.NaN) + upper) / 2;
}

/** The median of the rounds' own ratios: one disturbed round does not decide. */
export function medianRatio<Round>(
	rounds: readonly Round[],
	numerator: (round: Round) => number,
	denominator: (round: Round) => number,
): number {
	return median(rounds.map((round) => numerator(round) / denominator(round)));
}
