import { describe, expect, it } from 'vitest';
import { acquire } from '../retry-loop.example.ts';
import { InstantClock } from './instant-clock.ts';

describe("the README's example", () => {
	it.each([
		{ succeedsAt: 1, wantOutcome: 'acquired', wantWaits: 0 },
		{ succeedsAt: 4, wantOutcome: 'acquired', wantWaits: 3 },
		{ succeedsAt: 10, wantOutcome: 'acquired', wantWaits: 9 },
		{ succeedsAt: 11, wantOutcome: 'contended', wantWaits: 9 },
	])(
		'success at attempt $succeedsAt: $wantOutcome after $wantWaits waits',
		async ({ succeedsAt, wantOutcome, wantWaits }) => {
			const clock = new InstantClock();
			let tries = 0;
			expect(await acquire(async () => ++tries === succeedsAt, { clock })).toBe(wantOutcome);
			expect(clock.delaysMs).toHaveLength(wantWaits);
		},
	);

	it('distinguishes an abort from contention', async () => {
		const controller = new AbortController();
		const tryAcquire = async () => {
			controller.abort();
			return false;
		};
		expect(await acquire(tryAcquire, { signal: controller.signal, clock: new InstantClock() })).toBe('aborted');
	});
});
