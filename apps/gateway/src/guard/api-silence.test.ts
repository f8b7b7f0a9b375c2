import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { type KubeClient, KubeError } from '../kube/kube.ts';
import { watchForSilence } from './api-silence.ts';

const TIMEOUT_MS = 1000;
/** Of silence. */
const LIMIT_MS = 1250;

function setUp() {
	const clock = new ManualClock();
	/** By which this process stood still: its timers did not run. */
	let stoodStillMs = 0;
	const own = {
		now: () => clock.now() + stoodStillMs,
		setTimer: (onElapsed: () => void, delayMs: number) => clock.setTimer(onElapsed, delayMs),
	};
	const under: PromiseWithResolvers<unknown>[] = [];
	const call = () => {
		const answer = Promise.withResolvers<unknown>();
		under.push(answer);
		return answer.promise;
	};
	const { kube, onSilence } = watchForSilence({ call } as unknown as KubeClient, TIMEOUT_MS, own);
	let silences = 0;
	onSilence(() => silences++);
	const begin = () => {
		kube.call({ verb: 'get', path: '/', resource: 'r' }).catch(() => {});
		return under.at(-1)!;
	};
	const end = async (settle: () => void) => {
		settle();
		for (let turn = 0; turn < 5; turn++) await Promise.resolve();
	};
	const standStill = (ms: number) => void (stoodStillMs += ms);
	return { clock, begin, end, standStill, silences: () => silences };
}

const timeout = () => new KubeError('KUBE_TIMEOUT', 'm');

describe('silence of the API server', () => {
	it('a call that times out and the read after it, without any answer, are silence', async () => {
		const { clock, begin, end, silences } = setUp();
		const write = begin();
		clock.advance(TIMEOUT_MS);
		await end(() => write.reject(timeout()));
		begin();
		clock.advance(LIMIT_MS - TIMEOUT_MS - 1);
		expect(silences()).toBe(0);
		clock.advance(1);
		expect(silences()).toBe(1);
	});

	it.each([
		{ answer: 'a value', settle: (read: PromiseWithResolvers<unknown>) => read.resolve({}) },
		{
			answer: 'a refusal',
			settle: (read: PromiseWithResolvers<unknown>) =>
				read.reject(new KubeError('KUBE_NOT_FOUND', 'm', { status: 404 })),
		},
	])('a slow call beside one that is answered with $answer is no silence', async ({ settle }) => {
		const { clock, begin, end, silences } = setUp();
		begin();
		for (let time = 0; time < 10; time++) {
			const other = begin();
			clock.advance(LIMIT_MS - 1);
			await end(() => settle(other));
		}
		expect(silences()).toBe(0);
	});

	it('calls that are given up add up: late ones soon, early ones not', async () => {
		const { clock, begin, end, silences } = setUp();
		for (let time = 0; time < 10; time++) {
			const early = begin();
			clock.advance(10);
			await end(() => early.reject(new Error('the caller left')));
			clock.advance(60_000); // nothing is asked meanwhile
		}
		expect(silences()).toBe(0);
		for (let time = 0; time < 2; time++) {
			const late = begin();
			clock.advance(600);
			await end(() => late.reject(new Error('the caller left')));
		}
		expect(silences()).toBe(1);
	});

	it('silence that goes on is reported again after as long', () => {
		const { clock, begin, silences } = setUp();
		begin();
		clock.advance(LIMIT_MS);
		clock.advance(LIMIT_MS - 1);
		expect(silences()).toBe(1);
		clock.advance(1);
		expect(silences()).toBe(2);
	});

	it('a stop of this process is no silence of the API server', () => {
		const { clock, begin, standStill, silences } = setUp();
		begin();
		standStill(20_000);
		clock.advance(LIMIT_MS);
		expect(silences()).toBe(0);
		clock.advance(LIMIT_MS);
		expect(silences()).toBe(1);
	});

	it('without a call there is neither silence nor a timer', async () => {
		const { clock, begin, end, silences } = setUp();
		const call = begin();
		await end(() => call.resolve({}));
		clock.advance(60_000);
		expect(silences()).toBe(0);
		expect(clock.pending).toBe(0);
	});
});
