import { describe, expect, it } from 'vitest';
import { createBodyBudget } from './body-budget.ts';

const MIB = 1024 * 1024;

function setUp(maxBytes: number) {
	const reported = { bytes: 0 };
	const budget = createBodyBudget(maxBytes, { bytesInWork: (bytes) => (reported.bytes = bytes) });
	return { budget, reported };
}

describe('the budget of bodies', () => {
	it('bodies fit until the budget is used up, and again when one is released', () => {
		const { budget, reported } = setUp(1000);
		const [first, second, third] = [budget.open(), budget.open(), budget.open()];
		expect([first.set(600), second.set(400), third.set(1)]).toEqual([true, true, false]);
		first.release();
		expect(third.set(600)).toBe(true);
		expect(reported.bytes).toBe(1000);
	});

	it('a body that grows too large keeps what it had', () => {
		const { budget, reported } = setUp(1000);
		const charge = budget.open();
		expect([charge.set(700), charge.set(1001), charge.set(800)]).toEqual([true, false, true]);
		expect(reported.bytes).toBe(800);
	});

	it('a body can always shrink', () => {
		const { budget } = setUp(1000);
		const charge = budget.open();
		charge.set(1000);
		expect(charge.set(10)).toBe(true);
	});

	it('releasing twice releases once', () => {
		const { budget, reported } = setUp(1000);
		const [first, second] = [budget.open(), budget.open()];
		first.set(100);
		second.set(50);
		first.release();
		first.release();
		expect(reported.bytes).toBe(50);
	});

	it('large bodies leave a quarter to small ones', () => {
		const { budget } = setUp(8 * MIB);
		expect([budget.open().set(3 * MIB), budget.open().set(3 * MIB), budget.open().set(MIB)]).toEqual([
			true,
			true,
			false,
		]);
		const small = Array.from({ length: 5 }, () => budget.open().set(MIB / 2));
		expect(small).toEqual([true, true, true, true, false]);
	});

	it('the only large body may be as large as the budget, beside small ones', () => {
		const { budget } = setUp(8 * MIB);
		expect([budget.open().set(1000), budget.open().set(8 * MIB - 1000)]).toEqual([true, true]);
	});
});
