import { describe, expect, it } from 'vitest';
import { sampleLink } from '../../test/fixtures/sample-signal.ts';
import type { RequestLink } from '../objects/request-link.ts';
import type { PatchResult } from '../objects/request-store.ts';
import { CountSettler } from './count-settler.ts';

const behind = (total: number, more: Partial<RequestLink> = {}) =>
	sampleLink({ slots: { a: total - 1 }, resourceVersion: String(10 + total), ...more });

/** Time that the test moves; the answers of the API server are the test's. */
class SettlerFixture {
	nowMs = 0;
	readonly written: number[] = [];
	readonly #timers = new Map<() => void, number>();
	answer: (link: RequestLink) => PatchResult | Error = (link) => ({ ...link, occurrenceCount: totalIn(link) });
	readonly settler: CountSettler = new CountSettler({
		store: {
			settle: async (link) => {
				this.written.push(totalIn(link));
				const answer = this.answer(link);
				if (answer instanceof Error) throw answer;
				return answer;
			},
		},
		clock: {
			now: () => this.nowMs,
			setTimer: (onElapsed, delayMs) => {
				this.#timers.set(onElapsed, this.nowMs + delayMs);
				return () => void this.#timers.delete(onElapsed);
			},
		},
		random: () => 0.5,
		onWritten: (link) => this.settler.changed(link),
	});

	/** What this process has counted, as the API server answered it. */
	counted(link: RequestLink): void {
		this.settler.counted(link);
		this.settler.changed(link);
	}

	async pass(ms: number): Promise<void> {
		this.nowMs += ms;
		for (const [onElapsed, atMs] of this.#timers)
			if (atMs <= this.nowMs) {
				this.#timers.delete(onElapsed);
				onElapsed();
			}
		for (let turn = 0; turn < 5; turn++) await Promise.resolve();
	}
}

function totalIn({ base, slots }: RequestLink): number {
	return Object.values(slots).reduce((sum, count) => sum + count, 1 + base);
}

describe('the readable count', () => {
	it('the last writer settles after a second', async () => {
		const fixture = new SettlerFixture();
		fixture.counted(behind(5));
		await fixture.pass(999);
		expect(fixture.written).toEqual([]);
		await fixture.pass(1);
		expect(fixture.written).toEqual([5]);
		expect(fixture.settler.size).toBe(0);
	});

	it('another process settles after two to three seconds', async () => {
		const fixture = new SettlerFixture();
		fixture.settler.changed(behind(5));
		await fixture.pass(2499);
		expect(fixture.written).toEqual([]);
		await fixture.pass(1);
		expect(fixture.written).toEqual([5]);
	});

	it('a process that another has written after is not the last writer', async () => {
		const fixture = new SettlerFixture();
		fixture.counted(behind(5));
		fixture.settler.changed(behind(6));
		await fixture.pass(1000);
		expect(fixture.written).toEqual([]);
		await fixture.pass(1500);
		expect(fixture.written).toEqual([6]);
	});

	it('signals that keep coming do not put it off: it is settled each second', async () => {
		const fixture = new SettlerFixture();
		for (let total = 2; total <= 31; total++) {
			fixture.counted(behind(total, { occurrenceCount: fixture.written.at(-1) ?? 1 }));
			await fixture.pass(100);
		}
		expect(fixture.written).toEqual([11, 21, 31]);
	});

	it('a count that another process has settled is left alone', async () => {
		const fixture = new SettlerFixture();
		fixture.counted(behind(5));
		fixture.settler.changed(behind(5, { occurrenceCount: 5, resourceVersion: '20' }));
		await fixture.pass(5000);
		expect(fixture.written).toEqual([]);
		expect(fixture.settler.size).toBe(0);
	});

	it.each<{ name: string; answer: PatchResult | Error }>([
		{ name: 'refused', answer: 'changed' },
		{ name: 'failed', answer: new Error('away') },
	])('a write that was $name is tried again after a while', async ({ answer }) => {
		const fixture = new SettlerFixture();
		fixture.answer = () => answer;
		fixture.counted(behind(5));
		await fixture.pass(1000);
		await fixture.pass(1999);
		expect(fixture.written).toEqual([5]);
		await fixture.pass(1);
		expect(fixture.written).toEqual([5, 5]);
	});

	it.each(['gone', 'removed'])('nothing is kept of a request that is %s', async (how) => {
		const fixture = new SettlerFixture();
		fixture.answer = () => 'gone';
		fixture.counted(behind(5));
		if (how === 'removed') fixture.settler.forget(behind(5));
		else await fixture.pass(1000);
		expect(fixture.settler.size).toBe(0);
	});

	it('of many requests four are settled at a time', async () => {
		const fixture = new SettlerFixture();
		fixture.answer = () => new Error('away');
		for (let i = 0; i < 10; i++) fixture.counted(behind(5, { uid: `uid-${i}` }));
		await fixture.pass(1000);
		expect(fixture.written).toHaveLength(4);
	});

	it('at the end of the process the last writer settles at once, and others do not', async () => {
		const fixture = new SettlerFixture();
		fixture.counted(behind(5, { uid: 'ours' }));
		fixture.settler.changed(behind(7, { uid: 'of another' }));
		await fixture.settler.stop();
		expect(fixture.written).toEqual([5]);
		await fixture.pass(5000);
		expect(fixture.written).toEqual([5]);
	});
});
