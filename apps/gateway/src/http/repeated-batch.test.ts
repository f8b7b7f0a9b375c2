// On real connections: whether an answer reached the sender is known from them alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { startHttpFixture } from '../../test/fixtures/http-fixture.ts';
import { PROMETHEUS } from '../../test/http/routes.ts';

const { server, behind, reported } = await startHttpFixture();
const DEFERRED = { outcome: 'deferred', reason: 'lock-timeout', retryAfterMs: 1000, message: '' } as const;
let url: string;
beforeAll(async () => void (url = await server.listen({ host: '127.0.0.1', port: 0 })));

function batch(groupKey: string | undefined, ...names: string[]): string {
	const alerts = names.map((alertname) => ({ status: 'firing', labels: { alertname } }));
	return JSON.stringify({ groupKey, receiver: 'r', alerts });
}
/** The status of the answer, and how many signals were handled for it; the first ones are deferred. */
async function send(body: string, { deferFirst = 0 } = {}): Promise<[status: number, handled: number]> {
	const { ingest } = behind;
	const before = reported.answered.length;
	let calls = 0;
	behind.ingest = async () => (++calls <= deferFirst ? DEFERRED : ingest());
	const { status } = await fetch(url + PROMETHEUS, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});
	await expect.poll(() => reported.answered.length, { interval: 1 }).toBe(before + 1);
	behind.ingest = ingest;
	return [status, calls];
}

describe('a batch that is repeated', () => {
	it.each([
		{ what: 'with a group key', body: batch('g', 'A', 'B', 'B') },
		{ what: 'without one', body: batch(undefined, 'A', 'B', 'B') },
	])(
		'only what was deferred of a batch $what is handled again; after its acknowledgement, all of it',
		async ({ body }) => {
			expect(await send(body, { deferFirst: 1 })).toEqual([503, 3]);
			expect(await send(body, { deferFirst: 1 })).toEqual([503, 1]);
			expect(await send(body)).toEqual([201, 1]);
			expect(await send(body)).toEqual([201, 3]);
		},
	);

	it('an alert that joined the group meanwhile is handled beside the repetition of the others', async () => {
		expect(await send(batch('joined', 'A', 'B'), { deferFirst: 1 })).toEqual([503, 2]);
		expect(await send(batch('joined', 'A', 'B', 'C'))).toEqual([201, 2]);
	});

	it('the same alerts in a batch of another group are handled', async () => {
		expect(await send(batch('one', 'A', 'B'), { deferFirst: 1 })).toEqual([503, 2]);
		expect(await send(batch('two', 'A', 'B'))).toEqual([201, 2]);
	});

	it('what was stored for a sender that left before the answer is not handled again', async () => {
		const { ingest } = behind;
		const leaving = new AbortController();
		const last = Promise.withResolvers<void>();
		let calls = 0;
		behind.ingest = async () => {
			if (++calls === 2) {
				leaving.abort();
				await last.promise;
			}
			return ingest();
		};
		const before = reported.answered.length;
		const sending = fetch(url + PROMETHEUS, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: batch('left', 'A', 'B'),
			signal: leaving.signal,
		});
		await expect(sending).rejects.toThrow();
		await expect.poll(() => reported.answered.length, { interval: 1 }).toBe(before + 1);
		last.resolve();
		behind.ingest = ingest;
		expect(await send(batch('left', 'A', 'B'))).toEqual([201, 0]);
	});
});
