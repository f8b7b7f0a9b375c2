// Thousands of fuzzed bodies and headers against a real gateway: 4xx for every invalid one, and nothing stored for it; the
// process lives on and does not grow.
// FUZZ_SEED=<number> repeats a run; the seed of a failure is printed with it.
import { Readable } from 'node:stream';
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateways, metric, readiness, runningRequests, startGateways } from './harness/gateways.ts';
import { INSPECTABLE, liveBytes, ownOutput } from './harness/live-memory.ts';
import { type FuzzedRequest, fuzzedRequest } from './http/fuzzed-requests.ts';
import { type HttpAnswer, httpClient, rawConnection, senderToken } from './http/http-client.ts';
import { PROMETHEUS } from './http/routes.ts';
import { isValidEventBody, isValidWebhookBody } from './http/validity-oracle.ts';

const MAX_BODY_BYTES = 16 * 1024;
const AT_ONCE = 50;
const WARM_UP_ROUNDS = 100;
const ROUNDS = 220;
const BYTES_PER_KNOWN_REQUEST = 2048;
const seed = process.env['FUZZ_SEED'] === undefined ? undefined : Number(process.env['FUZZ_SEED']);

const api = adminApi();
let gateways: Gateways;
let gateway: AppProcess;
let send: ReturnType<typeof httpClient>;
/** Of all that was answered well. */
const stored = new Set<string>();
const seen = { valid: 0, invalid: 0 };

beforeAll(async () => {
	const namespace = await createNamespace(api, 'fuzz');
	gateways = await startGateways(api, namespace, {
		count: 1,
		env: {
			MAX_BODY_BYTES: String(MAX_BODY_BYTES),
			NODE_OPTIONS: INSPECTABLE,
		},
	});
	gateway = gateways.processes[0]!;
	send = httpClient(await senderToken(api, namespace));
});

function isValid({ path, body, contentType, contentEncoding, authorized }: FuzzedRequest): boolean {
	const readable = body.length <= MAX_BODY_BYTES && contentType.accepted && contentEncoding.accepted && authorized;
	return readable && (path === PROMETHEUS ? isValidWebhookBody(body) : isValidEventBody(body));
}

async function sendFuzzed(request: FuzzedRequest): Promise<HttpAnswer | 'cut'> {
	const { path, body, chunked, contentType, contentEncoding, authorized, more } = request;
	try {
		return await send(gateway, {
			path,
			body: chunked ? Readable.from([body.subarray(0, 7), body.subarray(7)].filter(({ length }) => length > 0)) : body,
			headers: {
				...more,
				'content-type': contentType.header,
				'content-encoding': contentEncoding.header,
				...(authorized ? {} : { authorization: 'Bearer unknown-token' }),
			},
		});
	} catch (error) {
		// A server that says no to a large body does not wait until all of it has come.
		if (body.length > MAX_BODY_BYTES) return 'cut';
		throw error;
	}
}

async function judge(request: FuzzedRequest): Promise<void> {
	const valid = isValid(request);
	const answer = await sendFuzzed(request);
	seen[valid ? 'valid' : 'invalid']++;
	if (answer === 'cut') return;
	const said = `${answer.status} ${answer.text.slice(0, 300)}\nto ${describeRequest(request)}`;
	if (valid) {
		if (answer.status < 200 || answer.status > 299) throw new Error(`a valid body was answered ${said}`);
		const { results = [answer.json] } = answer.json as { results?: Record<string, unknown>[] };
		for (const { remediationRequestName: name } of results) if (typeof name === 'string') stored.add(name);
		return;
	}
	if (answer.status < 400 || answer.status > 499) throw new Error(`an invalid body was answered ${said}`);
	if (answer.headers['content-type'] !== 'application/problem+json') throw new Error(`no problem: ${said}`);
	const { type, status } = answer.json;
	if (status !== answer.status || !String(type).startsWith('https://kubernaut.ai/errors/'))
		throw new Error(`a problem without its type: ${said}`);
	if (/node_modules|\bat .*:\d+:\d+|Error:/.test(answer.text)) throw new Error(`internals are shown: ${said}`);
}

function describeRequest({ body, contentType, contentEncoding, ...rest }: FuzzedRequest): string {
	const shown = Buffer.from(body.subarray(0, 1000)).toString();
	return JSON.stringify({ ...rest, type: contentType.header, encoding: contentEncoding.header, body: shown });
}

function fuzz(numRuns: number): Promise<void> {
	const many = fc.array(fuzzedRequest, { minLength: AT_ONCE, maxLength: AT_ONCE });
	const property = fc.asyncProperty(many, async (requests) => void (await Promise.all(requests.map(judge))));
	return fc.assert(property, { numRuns, endOnFailure: true, ...(seed === undefined ? {} : { seed }) });
}

describe('fuzzed bodies and headers', () => {
	it('invalid requests get 4xx, and the memory of the process does not grow', async () => {
		await fuzz(WARM_UP_ROUNDS);
		const before = await liveBytes(gateway);
		const storedBefore = stored.size;
		await fuzz(ROUNDS);
		const after = await liveBytes(gateway);
		const kibibytes = (bytes: number) => Math.round(bytes / 1024);
		console.log(
			`${seen.invalid} invalid and ${seen.valid} valid requests; alive ${kibibytes(before)} KiB before and ` +
				`${kibibytes(after)} KiB after ${ROUNDS * AT_ONCE} of them, which stored ${stored.size - storedBefore} requests; ` +
				`resident ${kibibytes((await metric(gateway, 'process_resident_memory_bytes')) ?? 0)} KiB`,
		);
		expect(seen.invalid + seen.valid).toBe((WARM_UP_ROUNDS + ROUNDS) * AT_ONCE);
		expect(seen.invalid).toBeGreaterThan(10_000);
		expect(seen.valid).toBeGreaterThan(100);
		// Stored requests stay in the cache. Rejected ones leave nothing: a hundred bytes of each would show.
		const keptForStored = (stored.size - storedBefore) * BYTES_PER_KNOWN_REQUEST;
		expect(after - before - keptForStored).toBeLessThan(ROUNDS * AT_ONCE * 100);
	}, 600_000);

	it('only the valid requests have stored something', async () => {
		const names = (await gateways.requests()).map(({ metadata }) => metadata.name);
		expect(new Set(names)).toEqual(stored);
		await expect.poll(() => gateways.leases()).toEqual([]);
	});

	it('fuzzed requests cause no fault and no line in the log that is not JSON', async () => {
		await expect.poll(() => readiness(gateway)).toBe(200);
		for (const code of ['5xx', '503'])
			for (const route of [PROMETHEUS, '/api/v1/signals/kubernetes-event', 'other'])
				expect(await metric(gateway, `gateway_http_requests_total{route="${route}",code="${code}"}`)).toBe(0);
		const levels = ownOutput(gateway).map((line) => (JSON.parse(line) as { level: string }).level);
		expect(levels).not.toContain('error');
	});
});

describe('bodies that never end', () => {
	it('bodies that never end are given up together, and leave the process as it was', async () => {
		const head = `POST ${PROMETHEUS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{`;
		const limits = { RECEIVE_TIMEOUT: '3s' };
		const impatient = await gateways.start('impatient', limits);
		const slow = await Promise.all(Array.from({ length: 100 }, () => rawConnection(impatient, head)));
		// They have no token: rejected at once, and cut when the rest does not come.
		const answers = await Promise.all(slow.map(({ ended }) => ended));
		expect(answers.every((answer) => answer.startsWith('HTTP/1.1 401'))).toBe(true);
		await expect.poll(() => runningRequests(impatient)).toBe(0);
		await expect.poll(() => readiness(impatient)).toBe(200);
	});
});
