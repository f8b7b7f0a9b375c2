// The API server really enforces RBAC, and what tests act as has the rights of its app and no more.
import { KubeApi } from '@kubernaut/control-plane';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { APPS, adminApi, appKubeconfig, createNamespace, serviceAccountKubeconfig } from '../src/testkit.ts';

const admin = adminApi();
const { kubeconfigPath } = inject('controlPlane');
const clients: KubeApi[] = [];
let home: string;
let elsewhere: string;
beforeAll(async () => {
	[home, elsewhere] = await Promise.all([createNamespace(admin, 'home'), createNamespace(admin, 'elsewhere')]);
});
afterAll(() => Promise.all(clients.map((client) => client.close())));

function clientOf(kubeconfig: string): KubeApi {
	const api = KubeApi.fromFile(kubeconfig);
	clients.push(api);
	return api;
}

const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

it('an account without a role is known by its name and may do nothing', async () => {
	const stranger = clientOf(await serviceAccountKubeconfig(admin, home, 'stranger', kubeconfigPath));
	const who = await stranger.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {} });
	expect(who['status'].userInfo.username).toBe(`system:serviceaccount:${home}:stranger`);
	expect(await stranger.send('GET', leases(home))).toMatchObject({
		status: 403,
		body: { message: expect.stringContaining('cannot list resource "leases"') },
	});
	expect(await stranger.send('POST', leases(home), { body: { metadata: { name: 'x' } } })).toMatchObject({
		status: 403,
	});
});

describe.each(APPS)('%s', (app) => {
	let api: KubeApi;
	beforeAll(async () => {
		api = clientOf(await appKubeconfig(admin, app, home, kubeconfigPath));
	});

	const kinds = (namespace: string) => `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}`;
	const OWN = {
		gateway: 'remediationrequests',
		orchestrator: 'remediationrequests',
		'workflow-executor': 'workflowexecutions',
		notification: 'notificationrequests',
	}[app];

	it('reads its own kind in its own namespace, and not in another', async () => {
		// The authorizer hears of a role by a watch.
		await expect.poll(async () => (await api.send('GET', `${kinds(home)}/${OWN}`)).status).toBe(200);
		expect(await api.send('GET', `${kinds(elsewhere)}/${OWN}`)).toMatchObject({ status: 403 });
	});

	it.each([
		{ what: 'read secrets', method: 'GET', path: () => `/api/v1/namespaces/${home}/secrets` },
		{ what: 'see other namespaces', method: 'GET', path: () => '/api/v1/namespaces' },
		{ what: 'start pods', method: 'POST', path: () => `/api/v1/namespaces/${home}/pods` },
		{ what: 'change roles', method: 'POST', path: () => `/apis/rbac.authorization.k8s.io/v1/namespaces/${home}/roles` },
	] as const)('may not $what', async ({ method, path }) => {
		const body = method === 'POST' ? { body: { metadata: { name: 'more' }, rules: [] } } : {};
		expect(await api.send(method, path(), body)).toMatchObject({ status: 403 });
	});
});

it('what an app has in the whole cluster goes with the namespace', async () => {
	await appKubeconfig(admin, 'gateway', home, kubeconfigPath);
	const { metadata: owner } = await admin.call('GET', `/api/v1/namespaces/${home}`);
	const { metadata } = await admin.call(
		'GET',
		`/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${home}-gateway`,
	);
	expect(metadata.ownerReferences).toMatchObject([{ kind: 'Namespace', name: home, uid: owner.uid }]);
});
