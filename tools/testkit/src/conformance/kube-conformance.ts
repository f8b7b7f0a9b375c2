// What every app's kube.ts must make of the API server's answers, on the real one.
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import type { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { serviceAccountKubeconfig } from '../service-account.ts';
import { adminApi, createNamespace } from '../test-cluster.ts';

type Call = {
	verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
	path: string;
	resource: string;
	namespace?: string;
	body?: unknown;
	signal?: AbortSignal;
	lane?: 'work' | 'renewals' | 'reviews' | 'readiness';
};
type Client = {
	call<T>(call: Call): Promise<T>;
	lines(call: Call, signal: AbortSignal, idleTimeoutMs: number, onAccepted?: () => void): AsyncGenerator<string>;
	close(): Promise<void>;
};
type Observed = { verb: string; code: number | 'error' };
export type KubeModule = {
	loadKubeConfig: (path: string | undefined) => KubeConfig;
	createKubeClient: (
		config: KubeConfig,
		timeoutMs: number,
		observer: { called(call: { verb: string }, code: number | 'error', seconds: number): void },
		now?: () => number,
		clock?: { heard(date: string | string[] | undefined): void },
	) => Client;
};

/** A right that is refused for so long is missing. */
const LASTS_MS = 15_000;
/** For what is not about time. */
const PATIENT_MS = 30_000;

export function describeKubeConformance({ loadKubeConfig, createKubeClient }: KubeModule): void {
	describe('kube.ts', () => {
		const admin = adminApi();
		const observed: Observed[] = [];
		const observer = {
			called: ({ verb }: { verb: string }, code: number | 'error') => void observed.push({ verb, code }),
		};
		let namespace: string;
		let leases: string;
		let client: Client;
		let stranger: Client;
		/** What the stranger's clock shows beyond the real one. */
		let skippedMs = 0;

		beforeAll(async () => {
			const { kubeconfigPath } = inject('controlPlane');
			namespace = await createNamespace(admin, 'kube');
			leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
			client = createKubeClient(loadKubeConfig(kubeconfigPath), PATIENT_MS, observer);
			const strangersPath = await serviceAccountKubeconfig(admin, namespace, 'stranger', kubeconfigPath);
			const now = () => performance.now() + skippedMs;
			stranger = createKubeClient(loadKubeConfig(strangersPath), PATIENT_MS, observer, now);
		});
		afterAll(async () => {
			await client.close();
			await stranger.close();
		});

		const lease = (name: string, spec = {}) => ({ metadata: { name }, spec });
		const create = (body: unknown): Call => ({ verb: 'create', path: leases, resource: 'leases', namespace, body });

		it('returns the object of an answer', async () => {
			const created = await client.call<{ metadata: { uid: string } }>(create(lease('plain')));
			expect(created.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
		});

		it('tells the two kinds of 409 apart', async () => {
			const created = await client.call<{ metadata: object }>(create(lease('twice')));
			await expect(client.call(create(lease('twice')))).rejects.toMatchObject({
				code: 'KUBE_ALREADY_EXISTS',
				status: 409,
			});
			const update: Call = {
				verb: 'update',
				path: `${leases}/twice`,
				resource: 'leases',
				namespace,
				body: { ...created, spec: { leaseDurationSeconds: 1 } },
			};
			await client.call(update);
			await expect(client.call(update)).rejects.toMatchObject({ code: 'KUBE_CONFLICT', status: 409 });
		});

		it('says that a refused right may only be late, and when it lasts that the Role lacks it; both name the RBAC rule', async () => {
			const rule = '{"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["create"]}';
			await expect(stranger.call(create(lease('refused')))).rejects.toMatchObject({
				code: 'KUBE_NOT_GRANTED',
				message: `create leases in ${namespace}: forbidden at the moment; the API server may still be starting. It needs ${rule}`,
			});
			skippedMs += LASTS_MS;
			await expect(stranger.call(create(lease('refused')))).rejects.toMatchObject({
				code: 'KUBE_FORBIDDEN',
				message: `create leases in ${namespace}: forbidden; the Role lacks ${rule}`,
			});
		});

		it('leaves the refusal of a quota in the words of the API server', async () => {
			const full = await createNamespace(admin, 'kube-full');
			const quotas = `/api/v1/namespaces/${full}/resourcequotas`;
			const hard = { 'count/configmaps': '0' };
			const quota = await admin.call('POST', quotas, { body: { metadata: { name: 'none' }, spec: { hard } } });
			// The usage is reported by a controller that does not run here.
			const status = { hard, used: { 'count/configmaps': '0' } };
			await admin.call('PUT', `${quotas}/none/status`, { body: { ...quota, status } });
			const path = `/api/v1/namespaces/${full}/configmaps`;
			const refused = () =>
				client
					.call({
						verb: 'create',
						path,
						resource: 'configmaps',
						namespace: full,
						body: { metadata: { generateName: 'a-' } },
					})
					.then(
						() => undefined,
						(error: Error & { code: string }) => ({ code: error.code, message: error.message }),
					);
			await expect.poll(refused).toMatchObject({
				code: 'KUBE_FORBIDDEN',
				message: expect.stringMatching(/create configmaps in \S+: 403 .*exceeded quota: none/),
			});
		});

		it('leaves a refusal that no Role would change in the words of the API server', async () => {
			const going = await createNamespace(admin, 'kube-going');
			await admin.call('DELETE', `/api/v1/namespaces/${going}`);
			const path = `/apis/coordination.k8s.io/v1/namespaces/${going}/leases`;
			const refused = () =>
				client
					.call({
						verb: 'create',
						path,
						resource: 'leases',
						namespace: going,
						body: { metadata: { generateName: 'a-' } },
					})
					.then(
						() => undefined,
						(error: Error & { code: string }) => ({ code: error.code, message: error.message }),
					);
			await expect.poll(refused).toMatchObject({
				code: 'KUBE_FORBIDDEN',
				message: expect.stringMatching(/create leases in \S+: 403 .*being terminated/),
			});
		});

		it.each([
			{ bytes: 1_700_000, status: 500, words: 'etcdserver: request is too large' },
			{ bytes: 2_500_000, status: 500, words: 'trying to send message larger than max' },
			{ bytes: 3_300_000, status: 413, words: 'Request entity too large' },
		])('classifies an object of $bytes bytes, which the storage cannot take', async ({ bytes, status, words }) => {
			// A kind that has no limit of its own.
			const path = `/apis/apps/v1/namespaces/${namespace}/controllerrevisions`;
			const body = { metadata: { name: 'large' }, revision: 1, data: { text: 'x'.repeat(bytes) } };
			await expect(client.call({ verb: 'create', path, resource: 'controllerrevisions', body })).rejects.toMatchObject({
				code: 'KUBE_TOO_LARGE',
				status,
				message: expect.stringContaining(words),
			});
		});

		it('classifies an object that is not there', async () => {
			const missing = client.call({ verb: 'get', path: `${leases}/nothing`, resource: 'leases', namespace });
			await expect(missing).rejects.toMatchObject({ code: 'KUBE_NOT_FOUND', status: 404 });
		});

		it('classifies an object that the API server finds invalid', async () => {
			const invalid = client.call(create(lease('invalid', { leaseDurationSeconds: 0 })));
			await expect(invalid).rejects.toMatchObject({
				code: 'KUBE_INVALID',
				status: 422,
				message: expect.stringContaining('leaseDurationSeconds'),
			});
		});

		it('gives up on a server that does not answer, and says after how long', async () => {
			const silent = await listen(() => {});
			const impatient = createKubeClient(configFor(silent.url), 200, observer);
			await expect(impatient.call({ verb: 'get', path: '/version', resource: 'version' })).rejects.toMatchObject({
				code: 'KUBE_TIMEOUT',
				message: 'get version: no answer within 200 ms',
			});
			await impatient.close();
			silent.close();
		});

		it('a call does not wait behind those of another lane that get no answer', async () => {
			const halfSilent = createHttpServer(({ url }, response) => void (url === '/work' || response.end('{}')));
			const busy = createKubeClient(configFor(await urlOf(halfSilent)), PATIENT_MS, observer);
			const ask = (lane: NonNullable<Call['lane']>, path = `/${lane}`) =>
				busy.call({ verb: 'get', path, resource: 'things', lane });
			const unanswered = Array.from({ length: 100 }, () => ask('work').catch(() => 'ended'));
			for (const lane of ['renewals', 'reviews', 'readiness'] as const) expect(await ask(lane)).toEqual({});
			await busy.close();
			expect(new Set(await Promise.all(unanswered))).toEqual(new Set(['ended']));
			halfSilent.closeAllConnections();
			halfSilent.close();
		});

		it.each([
			{ retryAfter: '1', want: 'is waited for and repeated', calls: 2 },
			{ retryAfter: '60', want: 'that asks for more than its time is reported', calls: 1 },
		])('a throttled call (Retry-After $retryAfter) $want', async ({ retryAfter, calls }) => {
			let received = 0;
			const throttling = createHttpServer((_request, response) =>
				received++ === 0 ? response.writeHead(429, { 'retry-after': retryAfter }).end('{}') : response.end('{}'),
			);
			const throttled = createKubeClient(configFor(await urlOf(throttling)), 5000, observer);
			const outcome = await throttled
				.call({ verb: 'create', path: '/x', resource: 'things', body: {} })
				.catch(({ code, retryAfterMs }: { code: string; retryAfterMs: number }) => ({ code, retryAfterMs }));
			expect(outcome).toEqual(calls === 2 ? {} : { code: 'KUBE_THROTTLED', retryAfterMs: 60_000 });
			expect(received).toBe(calls);
			await throttled.close();
			throttling.closeAllConnections();
			throttling.close();
		});

		it('calls a connection that is refused unavailable', async () => {
			const lonely = createKubeClient(configFor('https://127.0.0.1:1'), PATIENT_MS, observer); // nothing listens there
			await expect(lonely.call({ verb: 'get', path: '/version', resource: 'version' })).rejects.toMatchObject({
				code: 'KUBE_UNAVAILABLE',
				message: 'get version: ECONNREFUSED',
			});
			await lonely.close();
		});

		it('calls an answer that is no JSON unavailable, and counts it once', async () => {
			const page = createHttpServer((_request, response) => response.end('<html>Sign in</html>'));
			const lost = createKubeClient(configFor(await urlOf(page)), PATIENT_MS, observer);
			const before = observed.length;
			await expect(lost.call({ verb: 'get', path: '/version', resource: 'version' })).rejects.toMatchObject({
				code: 'KUBE_UNAVAILABLE',
				message: 'get version: 200 with a body that is not JSON: "<html>Sign in</html>"',
			});
			expect(observed.slice(before)).toEqual([{ verb: 'get', code: 200 }]);
			await lost.close();
			page.close();
		});

		it('reports the Date of every answer, and a watch when it is accepted, which may be long before its first line', async () => {
			const dates: number[] = [];
			const clock = { heard: (date: string | string[] | undefined) => void dates.push(Date.parse(String(date))) };
			const { kubeconfigPath } = inject('controlPlane');
			const dated = createKubeClient(loadKubeConfig(kubeconfigPath), PATIENT_MS, observer, undefined, clock);
			await dated.call({ verb: 'get', path: '/version', resource: 'version' });
			await expect(dated.call({ verb: 'get', path: `${leases}/none`, resource: 'leases' })).rejects.toThrow();
			const ended = new AbortController();
			const path = `${leases}?watch=1&fieldSelector=metadata.name%3Dnone`;
			const accepted = Promise.withResolvers<void>();
			const watch = dated.lines(
				{ verb: 'watch', path, resource: 'leases' },
				ended.signal,
				PATIENT_MS,
				accepted.resolve,
			);
			const first = watch.next();
			first.catch(() => undefined);
			await accepted.promise;
			ended.abort(new Error('enough'));
			await expect(first).rejects.toThrow('enough');
			expect(dates).toHaveLength(3);
			for (const date of dates) expect(Math.abs(date - Date.now())).toBeLessThan(60_000);
			await dated.close();
		});

		it('counts a watch without an answer', async () => {
			const lonely = createKubeClient(configFor('https://127.0.0.1:1'), PATIENT_MS, observer);
			const before = observed.length;
			const watch = lonely.lines(
				{ verb: 'watch', path: '/version', resource: 'version' },
				new AbortController().signal,
				PATIENT_MS,
			);
			await expect(watch.next()).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
			expect(observed.slice(before)).toEqual([{ verb: 'watch', code: 'error' }]);
			await lonely.close();
		});

		it('gives up on credentials that do not come', async () => {
			const config = configFor('https://127.0.0.1:1');
			config.applyToHTTPSOptions = () => new Promise(() => undefined); // a plugin that hangs
			const waiting = createKubeClient(config, 200, observer);
			await expect(waiting.call({ verb: 'get', path: '/version', resource: 'version' })).rejects.toMatchObject({
				code: 'KUBE_TIMEOUT',
			});
		});

		it("passes the caller's own abort on, and does not count it as a fault", async () => {
			const controller = new AbortController();
			const before = observed.length;
			const call = client.call({
				verb: 'list',
				path: `${leases}?watch=true`,
				resource: 'leases',
				signal: controller.signal,
			});
			const reason = new Error('the caller left');
			controller.abort(reason);
			await expect(call).rejects.toBe(reason);
			expect(observed.slice(before)).toEqual([]);
		});

		it('tells the observer of every answer and of every missing one', () => {
			const codes = new Set(observed.map(({ verb, code }) => `${verb} ${code}`));
			expect([...codes]).toEqual(expect.arrayContaining(['create 201', 'create 409', 'create 403', 'get error']));
		});

		function configFor(server: string): KubeConfig {
			const config = loadKubeConfig(inject('controlPlane').kubeconfigPath);
			config.loadFromClusterAndUser({ name: 'x', server, skipTLSVerify: server.startsWith('http:') }, { name: 'x' });
			return config;
		}
	});
}

async function listen(onConnection: () => void): Promise<{ url: string; close(): void }> {
	const server = createServer(onConnection);
	const url = await urlOf(server);
	return { url: url.replace('http:', 'https:'), close: () => void server.close() };
}

async function urlOf(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
	return `http://127.0.0.1:${address.port}`;
}
