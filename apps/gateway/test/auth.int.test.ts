// Who may send signals, asked of the real API server: tokens that it knows and does not know, rights that come later,
// an API server that is away.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	type AppProcess,
	adminApi,
	appBundle,
	applyObject,
	createNamespace,
	scratchDirectory,
	serviceAccountToken,
	startApp,
	startRelay,
} from '@kubernaut/testkit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { webhook } from './harness/alerts.ts';
import { type Gateways, logged, RELAXED_LIMITS, startGateways } from './harness/gateways.ts';
import { httpClient, senderToken } from './http/http-client.ts';

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let gateway: AppProcess;
let token: string;
const started: AppProcess[] = [];

beforeAll(async () => {
	namespace = await createNamespace(api, 'auth');
	gateways = await startGateways(api, namespace, { count: 1, env: { LOG_LEVEL: 'debug' } });
	gateway = gateways.processes[0]!;
	token = await senderToken(api, namespace);
});
afterEach(async () => {
	await Promise.all(started.splice(0).map((running) => running.stop()));
});

const as = (bearer: string | undefined) => httpClient(bearer);
const rbac = 'rbac.authorization.k8s.io';
const give = (name: string, right: string) =>
	applyObject(api, {
		apiVersion: `${rbac}/v1`,
		kind: 'RoleBinding',
		metadata: { name: `${name}-${right}`, namespace },
		roleRef: { apiGroup: rbac, kind: 'Role', name: right },
		subjects: [{ kind: 'ServiceAccount', name, namespace }],
	});

describe('a sender', () => {
	it('a sender whose user may create requests is admitted', async () => {
		expect(await as(token)(gateway, { body: webhook('good') })).toMatchObject({ status: 201 });
	});

	it.each([
		{ who: 'a request without a token', header: undefined },
		{ who: 'a request with an unknown token', header: 'Bearer unknown-token' },
		{ who: 'a request with a forged token', header: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.' },
		{ who: 'a request with a password', header: 'Basic YWRtaW46YWRtaW4=' },
	])('$who gets 401 with WWW-Authenticate', async ({ header }) => {
		const answer = await as(undefined)(gateway, { headers: { authorization: header }, body: webhook('unknown') });
		expect(answer.status).toBe(401);
		expect(answer.headers).toMatchObject({
			'www-authenticate': 'Bearer',
			'content-type': 'application/problem+json',
		});
		expect(answer.json).toMatchObject({ code: 'REQUEST_UNAUTHENTICATED', status: 401 });
		expect(await gateways.requests('unknown')).toEqual([]);
	});

	it('a sender whose token was altered gets 401', async () => {
		const changed = `${token.slice(0, -2)}${token.at(-2) === 'A' ? 'B' : 'A'}${token.slice(-1)}`;
		expect(await as(changed)(gateway, { body: webhook('unknown') })).toMatchObject({ status: 401 });
	});

	it('a sender without the right gets 403; once granted, it takes effect after a short time, without a restart', async () => {
		const later = await serviceAccountToken(api, namespace, 'later');
		const send = as(later);
		const forbidden = await send(gateway, { body: webhook('later') });
		expect(forbidden).toMatchObject({ status: 403, json: { code: 'REQUEST_FORBIDDEN' } });
		expect(forbidden.text).not.toContain('later'); // who it is, it knows itself
		expect(await gateways.requests('later')).toEqual([]);

		await give('later', 'sender');
		const status = async () => (await send(gateway, { body: webhook('later') })).status;
		await expect.poll(status, { interval: 500 }).toBe(201);
	});

	it('an unknown sender is rejected before its body is read', async () => {
		const answer = await as('unknown-token')(gateway, { body: 'x'.repeat(1024 * 1024) });
		expect(answer.status).toBe(401);
	});

	it('the description needs no token', async () => {
		const read = as(undefined);
		for (const path of ['/openapi.json', '/docs'])
			expect(await read(gateway, { method: 'GET', path })).toMatchObject({ status: 200 });
	});
});

describe('while the API server is away', () => {
	it('while the API server is away senders get 503 with Retry-After, and are admitted again without a restart', async () => {
		const relay = await startRelay(new URL(api.server));
		const relayed = join(await scratchDirectory(), 'kubeconfig');
		const own = readFileSync(gateways.kubeconfig, 'utf8');
		writeFileSync(relayed, own.replace(new URL(api.server).port, String(relay.port)));
		const running = await startApp('gateway', {
			kubeconfig: relayed,
			namespace,
			podName: 'relayed',
			env: RELAXED_LIMITS,
		});
		started.push(running);
		await running.waitUntilReady();
		const send = as(token);
		expect(await send(running, { body: webhook('before') })).toMatchObject({ status: 201 });

		relay.off();
		// Enough to open the breaker: it says no sooner, and the same.
		for (let time = 0; time < 8; time++)
			for (const sender of [send, as('not-seen-before')]) {
				const answer = await sender(running, { body: webhook(`away-${time}`) });
				expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } });
				expect(answer.text).not.toMatch(/ECONN|127\.0\.0\.1|remediationrequests in/);
			}
		await expect.poll(async () => (await fetch(`${running.healthUrl}/readyz`)).status).toBe(503);

		relay.on();
		const status = async () => (await send(running, { body: webhook('after') })).status;
		await expect.poll(status, { timeout: 45_000, interval: 250 }).toBe(201);
		expect(await as('unknown-token')(running, { body: webhook('x') })).toMatchObject({ status: 401 });
		await relay.close();
	});
});

describe('without authentication', () => {
	it.each([
		{ how: '--auth=off', args: ['--auth=off'], env: {} },
		{ how: 'AUTH=off', args: [], env: { AUTH: 'off' } },
	])('with AUTH=off ($how) every sender is admitted outside a cluster', async ({ how, args, env }) => {
		const { kubeconfig } = gateways;
		const running = await startApp('gateway', {
			kubeconfig,
			namespace,
			podName: 'open',
			args,
			env: { ...RELAXED_LIMITS, ...env },
		});
		started.push(running);
		await running.waitUntilReady();
		const name = how.toLowerCase().replace(/[^a-z]+/g, '-');
		expect(await as(undefined)(running, { body: webhook(`open${name}`) })).toMatchObject({ status: 201 });
	});

	it('with AUTH=off the gateway does not start in a cluster', async () => {
		const { status, stderr } = spawnSync(process.execPath, [await appBundle('gateway'), '--auth=off'], {
			encoding: 'utf8',
			env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', POD_NAME: 'p', POD_NAMESPACE: 'n' },
		});
		expect(status).toBe(2);
		expect(stderr).toContain('AUTH is off in a cluster');
	});
});

describe('the log', () => {
	it('the log has every request id and neither a token nor anything of a body', async () => {
		const send = as(token);
		const secret = 's3cret-of-the-sender';
		const alert = { status: 'firing', labels: { alertname: secret, [secret]: secret }, annotations: { a: secret } };
		const bodies = [
			JSON.stringify({ alerts: [alert] }),
			JSON.stringify({ alerts: [{ ...alert, labels: { [secret]: 1 } }] }),
			JSON.stringify({ [secret]: secret }),
			`{"${secret}`,
			secret,
		];
		for (const body of bodies) await send(gateway, { body, headers: { 'x-request-id': 'request-of-the-log-test' } });
		for (const path of [`/${secret}`, `/docs?token=${secret}`, `/%zz${secret}`])
			await send(gateway, { path, method: 'GET', headers: { cookie: secret, 'x-request-id': `a ${secret}` } });
		await as(secret)(gateway, { body: '{}' });
		await as(undefined)(gateway, { headers: { authorization: `Basic ${secret}` }, body: '{}' });

		const mine = () => logged(gateway, 'answered').filter((line) => line['requestId'] === 'request-of-the-log-test');
		await expect.poll(() => mine().length).toBe(bodies.length);
		const text = gateway.output().join('\n');
		expect(text).not.toContain(secret);
		expect(text).not.toContain(token);
		expect(text).not.toContain(token.split('.')[2]);
	});
});
