import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { createRejectionPace } from './rejection-pace.ts';

const never = new AbortController().signal;
const CONFIG = { perSecond: 10, burst: 2, maxWaitMs: 500, maxHeld: 50 };

function setUp() {
	const clock = new ManualClock();
	const pace = createRejectionPace(CONFIG, clock);
	const answeredAt: number[] = [];
	const reject = (abort = never) => pace.wait(abort).then(() => void answeredAt.push(clock.now()));
	const settle = async () => {
		for (let turn = 0; turn < 5; turn++) await Promise.resolve();
	};
	const pass = async (ms: number) => {
		await settle();
		for (let passed = 0; passed < ms; passed += 10) {
			clock.advance(10);
			await settle();
		}
	};
	return { clock, reject, pass, answeredAt };
}

describe('the pace of rejections', () => {
	it('a few rejections are not held, the next ones come at the pace, and none waits longer than the limit', async () => {
		const { clock, reject, pass, answeredAt } = setUp();
		clock.advance(1000);
		for (let i = 0; i < 12; i++) void reject();
		await pass(2000);
		expect(answeredAt.map((ms) => ms - 1000)).toEqual([0, 0, 0, 100, 200, 300, 400, 500, 500, 500, 500, 500]);
	});

	it('after a pause rejections are not held again', async () => {
		const { reject, pass, answeredAt } = setUp();
		for (let i = 0; i < 20; i++) void reject();
		await pass(2000);
		const before = answeredAt.length;
		void reject();
		void reject();
		await Promise.resolve();
		await Promise.resolve();
		expect(answeredAt.length).toBe(before + 2);
	});

	it('beyond so many that are held a rejection is answered at once', async () => {
		const { reject, pass, answeredAt } = setUp();
		for (let i = 0; i < 3 + CONFIG.maxHeld + 7; i++) void reject();
		await pass(0);
		expect(answeredAt.length).toBe(3 + 7);
	});

	it('an abort ends the wait, and leaves no timer', async () => {
		const { clock, reject } = setUp();
		for (let i = 0; i < 3; i++) await reject();
		const client = new AbortController();
		const waiting = reject(client.signal);
		client.abort(new Error('gone'));
		await expect(waiting).rejects.toThrow('gone');
		expect(clock.pending).toBe(0);
	});
});
