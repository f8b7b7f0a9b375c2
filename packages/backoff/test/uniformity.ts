// Are these draws uniform over an interval? Each check has a limit that a right source passes with a chance of
// failure below one in a billion, so that drawing from Math.random in a test is no gamble.
const BUCKETS = 20;
// Chi-square with 19 degrees of freedom exceeds 100 with p < 1e-11.
const CHI_SQUARE_LIMIT = 100;
const MEAN_LIMIT_SIGMAS = 6.5;
// Even of a source with only 2^32 values, 20,000 draws hold three equal ones once in ten million times.
const SAME_VALUE_LIMIT = 2;

export type Objection = 'outside the interval' | 'mean is off' | 'buckets are uneven' | 'one value keeps coming back';

export function objectionsToUniformity(draws: readonly number[], min: number, max: number): Objection[] {
	const objections: Objection[] = [];
	if (draws.some((draw) => draw < min || draw > max)) objections.push('outside the interval');
	if (meanErrorInSigmas(draws, min, max) > MEAN_LIMIT_SIGMAS) objections.push('mean is off');
	if (chiSquare(draws, min, max) > CHI_SQUARE_LIMIT) objections.push('buckets are uneven');
	if (mostFrequent(draws).count > SAME_VALUE_LIMIT) objections.push('one value keeps coming back');
	return objections;
}

export function mostFrequent(draws: readonly number[]): { value: number; count: number } {
	const counts = new Map<number, number>();
	for (const draw of draws) counts.set(draw, (counts.get(draw) ?? 0) + 1);
	let most = { value: Number.NaN, count: 0 };
	for (const [value, count] of counts) if (count > most.count) most = { value, count };
	return most;
}

function meanErrorInSigmas(draws: readonly number[], min: number, max: number): number {
	const mean = draws.reduce((sum, draw) => sum + draw, 0) / draws.length;
	const sigmaOfMean = (max - min) / Math.sqrt(12 * draws.length);
	return Math.abs(mean - (min + max) / 2) / sigmaOfMean;
}

function chiSquare(draws: readonly number[], min: number, max: number): number {
	const observed = Array.from({ length: BUCKETS }, () => 0);
	for (const draw of draws) {
		const bucket = Math.floor(((draw - min) / (max - min)) * BUCKETS);
		const inRange = Math.max(0, Math.min(BUCKETS - 1, bucket));
		observed[inRange] = (observed[inRange] ?? 0) + 1;
	}
	const expected = draws.length / BUCKETS;
	return observed.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}
