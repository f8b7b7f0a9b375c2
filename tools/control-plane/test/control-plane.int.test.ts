import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { type ControlPlane, KubeApi, kubeconfigText, startControlPlane } from '../src/index.ts';
import { environmentWithBinaries, processesNaming, removeWithProcesses, temporaryDirectory } from './scripts.ts';

const START_LIMIT_MS = 10_000;
const TRY_FOR_MS = 240_000;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

const cache = temporaryDirectory();
let environment: NodeJS.ProcessEnv;
let one: ControlPlane;
let two: ControlPlane;
let admin: KubeApi;
const startsMs: number[] = [];
beforeAll(async () => {
	environment = await environmentWithBinaries(cache);
	one = await timed(() => startControlPlane({ environment, auditLog: true }));
	two = await timed(() => startControlPlane({ environment }));
	admin = KubeApi.fromFile(one.kubeconfigPath, 'administrator');
});
afterAll(async () => {
	await admin.close();
	removeWithProcesses(cache);
});

describe('a control plane', () => {
	it('is ready within ten seconds of asking for it, when its binaries are there', async () => {
		// It may have met a busy machine, but not all the time.
		const deadline = performance.now() + TRY_FOR_MS;
		while (Math.min(...startsMs) >= START_LIMIT_MS && performance.now() < deadline)
			await (await timed(() => startControlPlane({ environment }))).stop();
		console.log(`ready after ${startsMs.map(Math.round).join(' and ')} ms`);
		expect(Math.min(...startsMs)).toBeLessThan(START_LIMIT_MS);
	});

	it('says what it is', () => {
		expect(one).toMatchObject({ source: 'binaries', version: expect.stringMatching(/^1\.\d+\.\d+$/) });
		const binary = join(cache, 'assets', 'kube-apiserver');
		expect(one.description).toBe(`Kubernetes ${one.version} at ${one.url}, ${binary}`);
	});

	it('stops for good: no process, no directory, and stopping again is no error', async () => {
		const third = await startControlPlane({ environment });
		expect(processesNaming(third.directory!).map(({ command }) => command.split(' ')[0])).toEqual(
			expect.arrayContaining([expect.stringMatching(/etcd$/), expect.stringMatching(/kube-apiserver$/)]),
		);
		await third.stop();
		expect(existsSync(third.directory!)).toBe(false);
		await expect.poll(() => processesNaming(third.directory!)).toEqual([]); // the watchdog goes too
		await third.stop();
	});

	it('that is aborted while it starts leaves nothing', async () => {
		const controller = new AbortController();
		const starting = startControlPlane({ environment, signal: controller.signal });
		await expect.poll(() => others().some((other) => other.includes('--secure-port='))).toBe(true);
		controller.abort();
		await expect(starting).rejects.toMatchObject({ name: 'AbortError' });
		await expect.poll(others).toEqual([]);
	});

	it('that cannot start says why, and leaves nothing', async () => {
		const starting = startControlPlane({ environment, apiServerArgs: ['--no-such-flag'] });
		await expect(starting).rejects.toThrow(
			/kube-apiserver ended with 1\. Its last lines:\n.*unknown flag: --no-such-flag/s,
		);
		await expect.poll(others).toEqual([]);
	});
});

describe('two at once', () => {
	it('know nothing of each other’s objects', async () => {
		const other = KubeApi.fromFile(two.kubeconfigPath);
		await admin.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'only-in-one' } } });
		expect(await admin.send('GET', '/api/v1/namespaces/only-in-one')).toMatchObject({ status: 200 });
		expect(await other.send('GET', '/api/v1/namespaces/only-in-one')).toMatchObject({ status: 404 });
		await other.close();
	});

	it('do not take each other’s certificates', async () => {
		const [ours, theirs] = [one, two].map(({ kubeconfigPath }) => parse(readFileSync(kubeconfigPath, 'utf8')));
		const mixed = join(cache, 'mixed.kubeconfig');
		writeFileSync(mixed, stringify({ ...ours, users: theirs.users }));
		const stranger = KubeApi.fromFile(mixed);
		expect(await stranger.send('GET', '/api/v1/namespaces')).toMatchObject({ status: 401 });
		await stranger.close();
	});
});

describe('RBAC', () => {
	it('refuses a user without rights, naming the verb, and lets him once a Role is bound', async () => {
		const user = await serviceAccountApi('lease-user');
		const create = () => user.send('POST', LEASES, { body: { metadata: { generateName: 'rbac-' } } });
		expect(await create()).toMatchObject({
			status: 403,
			body: { message: expect.stringContaining('cannot create resource "leases" in API group "coordination.k8s.io"') },
		});
		await bindRole('lease-user', { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] });
		await expect.poll(async () => (await create()).status).toBe(201); // the authorizer hears of it by a watch
		expect(await user.send('GET', LEASES)).toMatchObject({
			status: 403,
			body: { message: expect.stringContaining('cannot list resource "leases"') },
		});
		await user.close();
	});

	it('rejects an anonymous client', async () => {
		const { clusters, contexts, ...rest } = parse(readFileSync(one.kubeconfigPath, 'utf8'));
		const path = join(cache, 'anonymous.kubeconfig');
		writeFileSync(path, stringify({ ...rest, clusters, contexts, users: [{ name: 'kubernaut', user: {} }] }));
		const anonymous = KubeApi.fromFile(path);
		expect(await anonymous.send('GET', '/api/v1/namespaces')).toMatchObject({
			status: 403,
			body: { message: expect.stringContaining('User "system:anonymous" cannot list resource "namespaces"') },
		});
		await anonymous.close();
	});
});

describe('the audit log', () => {
	it('counts every call by user agent, verb and resource, as soon as it is answered', async () => {
		const gateway = KubeApi.fromFile(one.kubeconfigPath, 'gateway/1');
		const orchestrator = KubeApi.fromFile(one.kubeconfigPath, 'orchestrator/1 (test)');
		const mark = one.auditLog!.mark();
		for (let i = 0; i < 20; i++) await gateway.call('POST', LEASES, { body: { metadata: { name: `audited-${i}` } } });
		await Promise.all(Array.from({ length: 30 }, (_, i) => gateway.call('GET', `${LEASES}/audited-${i % 20}`)));
		await orchestrator.call('GET', LEASES);
		await orchestrator.call('GET', `${LEASES}?watch=true&timeoutSeconds=1`);
		await orchestrator.send('GET', `${LEASES}/missing`);
		await orchestrator.call('DELETE', `${LEASES}/audited-0`);
		await orchestrator.call('GET', '/version');
		expect(Object.fromEntries(one.auditLog!.counts(mark, { userAgent: 'gateway/1' }))).toEqual({
			'gateway/1 create leases': 20,
			'gateway/1 get leases': 30,
		});
		expect(Object.fromEntries(one.auditLog!.counts(mark, { userAgent: 'orchestrator/1 (test)' }))).toEqual({
			'orchestrator/1 (test) list leases': 1,
			'orchestrator/1 (test) watch leases': 1,
			'orchestrator/1 (test) get leases': 1,
			'orchestrator/1 (test) delete leases': 1,
			'orchestrator/1 (test) get /version': 1,
		});
		const missing = one.auditLog!.calls(mark, { userAgent: 'orchestrator/1 (test)', verb: 'get', resource: 'leases' });
		expect(missing).toMatchObject([{ code: 404, namespace: 'default', name: 'missing' }]);
		await Promise.all([gateway.close(), orchestrator.close()]);
	});

	it('is kept only when asked for', () => {
		expect(two.auditLog).toBeUndefined();
		expect(existsSync(join(two.directory!, 'audit.jsonl'))).toBe(false);
	});
});

async function timed<T>(start: () => Promise<T>): Promise<T> {
	const before = performance.now();
	const started = await start();
	startsMs.push(performance.now() - before);
	return started;
}

/** Directories and processes of control planes other than the two that stay. */
function others(): string[] {
	const running = join(cache, 'running');
	const directories = readdirSync(running).map((name) => join(running, name));
	const commands = processesNaming(running).map(({ command }) => command);
	return [...directories, ...commands].filter((text) => ![one, two].some(({ directory }) => text.includes(directory!)));
}

async function serviceAccountApi(name: string): Promise<KubeApi> {
	const accounts = '/api/v1/namespaces/default/serviceaccounts';
	await admin.call('POST', accounts, { body: { metadata: { name } } });
	const { status } = await admin.call('POST', `${accounts}/${name}/token`, { body: { spec: {} } });
	const ca = readFileSync(join(one.directory!, 'ca.crt'), 'utf8');
	const path = join(cache, `${name}.kubeconfig`);
	writeFileSync(path, kubeconfigText(one.url, ca, { token: status.token }));
	return KubeApi.fromFile(path);
}

async function bindRole(name: string, rule: object): Promise<void> {
	await admin.call('POST', `${RBAC}/roles`, { body: { metadata: { name }, rules: [rule] } });
	const body = {
		metadata: { name },
		roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
		subjects: [{ kind: 'ServiceAccount', name, namespace: 'default' }],
	};
	await admin.call('POST', `${RBAC}/rolebindings`, { body });
}
