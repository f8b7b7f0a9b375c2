import { request } from 'node:https';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReceiverCertificates } from './certificates.ts';
import { type HttpsReceiver, startHttpsReceiver } from './https-receiver.ts';

let ca: string;
let receiver: HttpsReceiver;
beforeAll(async () => {
	const certificates = await createReceiverCertificates();
	({ ca } = certificates);
	receiver = await startHttpsReceiver(certificates);
});
afterAll(() => receiver.close());

const post = (body: string) =>
	new Promise<number | undefined>((resolve, reject) => {
		const sent = request(`${receiver.origin}/hook`, { method: 'POST', ca, agent: false }, (answer) => {
			answer.resume();
			resolve(answer.statusCode);
		});
		sent.on('error', reject).end(body);
	});

it('every request is recorded in its order, and answered as the test asks', async () => {
	expect(await post('one')).toBe(200);
	receiver.behave((_request, index) => ({ status: index === 1 ? 429 : 204 }));
	expect([await post('two'), await post('three')]).toEqual([429, 204]);
	expect(receiver.received.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
		'POST /hook one',
		'POST /hook two',
		'POST /hook three',
	]);
	const times = receiver.received.flatMap(({ at, answeredAt }) => [at, answeredAt ?? Infinity]);
	expect(times).toEqual(times.toSorted((a, b) => a - b));
});

it('a connection that is closed without an answer is recorded too', async () => {
	receiver.behave('close');
	await expect(post('lost')).rejects.toThrow();
	expect(receiver.received.at(-1)).toMatchObject({ body: 'lost' });
	expect(receiver.received.at(-1)?.answeredAt).toBeUndefined();
});
