import { describe, expect, it } from 'vitest';
import { GOOD_ALERTS, startHttpFixture } from '../../../test/fixtures/http-fixture.ts';
import type { ExplainResult } from '../../signal/signal.ts';
import { EXPLAIN_PATH } from './explain-route.ts';

const EXPLAINED: ExplainResult = {
	outcome: 'explained',
	target: { kind: 'Alert', name: 'a' },
	targetSource: 'Alert',
	lookUpReasons: [],
	requestReason: 'it would be created',
};

describe('POST /explain', () => {
	it('has two places: a third question is answered with 503 at once, while signals are taken', async () => {
		const asked: (() => void)[] = [];
		const explain = () => new Promise<ExplainResult>((resolve) => asked.push(() => resolve(EXPLAINED)));
		const { send, reported } = await startHttpFixture({ explain });
		const question = () => send({ url: EXPLAIN_PATH });
		const first = [question(), question()];
		await expect.poll(() => asked.length).toBe(2);

		const third = await question();
		expect([third.statusCode, third.headers['retry-after'], third.json().type]).toEqual([
			503,
			'1',
			expect.stringContaining('overloaded'),
		]);
		expect(asked).toHaveLength(2);
		expect(reported.released).toBe(1); // of the third: it holds no place of a signal
		expect((await send()).statusCode).toBe(201);

		for (const answer of asked) answer();
		expect((await Promise.all(first)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
		const next = question();
		await expect.poll(() => asked.length).toBe(3);
		asked[2]!();
		expect((await next).json().explanations).toHaveLength(1);
	});

	it('a question that fails frees its place', async () => {
		let isBroken = true;
		const explain = async () => {
			if (isBroken) throw new Error('broken');
			return EXPLAINED;
		};
		const { send } = await startHttpFixture({ explain });
		const codes: number[] = [];
		for (let i = 0; i < 3; i++) codes.push((await send({ url: EXPLAIN_PATH })).statusCode);
		isBroken = false;
		codes.push((await send({ url: EXPLAIN_PATH })).statusCode);
		expect(codes).toEqual([500, 500, 500, 200]);
	});

	it('asks for the rights of a sender', async () => {
		const { send, behind } = await startHttpFixture({ explain: async () => EXPLAINED });
		behind.decision = { outcome: 'forbidden' };
		expect((await send({ url: EXPLAIN_PATH })).statusCode).toBe(403);
		behind.decision = { outcome: 'unauthenticated' };
		expect((await send({ url: EXPLAIN_PATH })).statusCode).toBe(401);
	});

	it('explains at most 100 signals at once', async () => {
		const { send } = await startHttpFixture({ explain: async () => EXPLAINED, maxBodyBytes: 1_000_000 });
		const [alert] = JSON.parse(GOOD_ALERTS).alerts;
		const of = (count: number) =>
			send({ url: EXPLAIN_PATH, payload: JSON.stringify({ alerts: Array.from({ length: count }, () => alert) }) });
		expect((await of(100)).json().explanations).toHaveLength(100);
		expect((await of(101)).statusCode).toBe(413);
	});
});
