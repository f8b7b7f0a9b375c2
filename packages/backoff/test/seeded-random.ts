import type { RandomSource } from '../src/draw-delay.ts';

/** mulberry32: 32 bits of state are plenty for a test, and a seed makes a failure repeatable. */
export function seededRandom(seed: number): RandomSource {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
