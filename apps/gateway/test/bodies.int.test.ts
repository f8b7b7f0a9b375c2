// Large bodies and many alerts on one gateway with its default limits and the heap that it has in an image.
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { webhook } from './harness/alerts.ts';
import { alertOf, batch, smallAlerts, usualAlert } from './harness/batches.ts';
import { DEFAULT_LIMITS, type Gateways, readiness, startGateways, statuses } from './harness/gateways.ts';
import { type HttpAnswer, httpClient, senderToken } from './http/http-client.ts';

const MEBIBYTE = 1024 * 1024;
const DEFERRED: readonly number[] = [503, 504];
const api = adminApi();
let gateways: Gateways;
let gateway: AppProcess;
let send: ReturnType<typeof httpClient>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'bodies');
	gateways = await startGateways(api, namespace, { count: 1, limits: DEFAULT_LIMITS });
	gateway = gateways.processes[0]!;
	send = httpClient(await senderToken(api, namespace), 200);
});

type Ended = HttpAnswer | { readonly status: 'lost' };
const trySend = (body: string | Readable): Promise<Ended> =>
	send(gateway, { body }).catch(() => ({ status: 'lost' as const }));
function peakMebibytes({ pid }: AppProcess): number {
	return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}

describe('ordinary groups', () => {
	it('a group of 287 usual alerts, larger than 256 KiB, is stored', async () => {
		const body = batch(
			'usual',
			Array.from({ length: 287 }, (_, i) => usualAlert(`usual-${i}`)),
		);
		expect(body.length).toBeGreaterThan(256 * 1024);
		// Alertmanager comes again with what a busy machine could not store within one deadline.
		let answer = await send(gateway, { body });
		while (DEFERRED.includes(answer.status)) {
			await delay(Number(answer.headers['retry-after']) * 1000);
			answer = await send(gateway, { body });
		}
		expect([201, 202]).toContain(answer.status);
		const stored = await gateways.requests();
		expect(stored.filter(({ spec }) => spec.targetResource.name.startsWith('usual-'))).toHaveLength(287);
	});
});

describe('what one alert stores', () => {
	it('an alert of 200 kB is stored within 32 KiB, with its identifying labels and without its payload', async () => {
		const long = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`note${i}`, 'ä'.repeat(2000)]));
		const alert = { ...alertOf('long'), labels: { ...alertOf('long').labels, ...long }, annotations: long };
		expect(await send(gateway, { body: batch('long', [alert]) })).toMatchObject({ status: 201 });
		const [stored] = await gateways.requests('long');
		const { signalName, signalLabels, signalAnnotations, originalPayload } = stored!.spec;
		expect(signalLabels).toMatchObject(alertOf('long').labels);
		expect(originalPayload ?? '').toBe('');
		const bytes = Buffer.byteLength(JSON.stringify({ signalName, signalLabels, signalAnnotations }));
		expect(bytes).toBeGreaterThan(16 * 1024);
		expect(bytes).toBeLessThan(36 * 1024); // 32 KiB of text, and the JSON around it
	});
});

describe('many bytes at once', () => {
	it('48 posts of 5,200 small alerts each: every sender is answered, a single signal beside them is stored', async () => {
		const body = smallAlerts(5200);
		const posts = Promise.all(Array.from({ length: 48 }, () => trySend(body)));
		const beside = await Promise.all(Array.from({ length: 10 }, (_, i) => gateways.trySend(gateway, `beside-${i}`)));
		const answers = await posts;
		console.log(
			`48 × ${body.length} bytes:`,
			statuses(answers as never),
			'beside:',
			statuses(beside),
			peakMebibytes(gateway),
			'MiB',
		);
		for (const { status } of answers) expect([201, 202, 503, 504]).toContain(status);
		const deferred = answers.filter((answer): answer is HttpAnswer => DEFERRED.includes(Number(answer.status)));
		expect(deferred.filter(({ headers }) => !(Number(headers['retry-after']) >= 1))).toEqual([]);
		expect(beside.filter(({ status }) => status !== 201)).toEqual([]);
		expect(await readiness(gateway)).toBe(200);
	});

	it('24 bodies of 7 MiB at once, in chunks and with a length: every sender is answered, 413 to none', async () => {
		const alerts = Array.from({ length: 8200 }, (_, i) => usualAlert(`large-${i}`));
		const body = batch('large', alerts);
		expect(body.length).toBeGreaterThan(7 * MEBIBYTE);
		expect(body.length).toBeLessThan(8 * MEBIBYTE);
		const chunks = body.match(/.{1,65536}/gs)!;
		const posts = Promise.all(
			Array.from({ length: 24 }, (_, i) => trySend(i % 2 === 0 ? body : Readable.from(chunks))),
		);
		const beside = await gateways.trySend(gateway, 'beside-large');
		const answers = await posts;
		console.log(
			`24 × ${body.length} bytes:`,
			statuses(answers as never),
			'beside:',
			beside.status,
			peakMebibytes(gateway),
			'MiB',
		);
		for (const { status } of answers) expect([201, 202, 503, 504]).toContain(status);
		expect(beside.status).toBe(201);
		expect(await readiness(gateway)).toBe(200);
	});

	it('bodies made to take much memory are rejected, many at once too', async () => {
		const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
		const junk = fill('{},', 8 * MEBIBYTE - 1000);
		const bodies = [
			`{"alerts":[{"status":"firing","labels":{"alertname":"A"},"x":[${junk}{}]}]}`,
			`{"alerts":[${junk}{}]}`,
			`{"x":[${junk}{}],"alerts":[{"status":"firing","labels":{"alertname":"A"}}]}`,
			`[${junk}{}]`,
			'['.repeat(8 * MEBIBYTE - 1000),
		];
		const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => trySend(bodies[i % bodies.length]!)));
		console.log('20 × 8 MiB of junk:', statuses(answers as never), peakMebibytes(gateway), 'MiB');
		for (const { status } of answers) expect([400, 413, 503, 'lost']).toContain(status); // cut while it sends
		expect(await readiness(gateway)).toBe(200);
	});

	it('one alert after all of them is stored, and the memory was bounded', async () => {
		expect(peakMebibytes(gateway)).toBeLessThan(256);
		expect(await send(gateway, { body: webhook('afterwards') })).toMatchObject({ status: 201 });
	});
});
