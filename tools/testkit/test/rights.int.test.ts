// The API server really enforces RBAC, and what tests act as has the rights of its app and no more.
import { KubeApi } from '@kubernaut/control-plane';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
	APPS,
	type AppName,
	adminApi,
	appKubeconfig,
	createNamespace,
	executionNamespaceOf,
	serviceAccountKubeconfig,
} from '../src/testkit.ts';

const admin = adminApi();
const { kubeconfigPath } = inject('controlPlane');
const clients: KubeApi[] = [];
let home: string;
let elsewhere: string;
let stranger: KubeApi;
beforeAll(async () => {
	[home, elsewhere] = await Promise.all([createNamespace(admin, 'home'), createNamespace(admin, 'elsewhere')]);
	stranger = clientOf(await serviceAccountKubeconfig(admin, home, 'stranger', kubeconfigPath));
});
afterAll(() => Promise.all(clients.map((client) => client.close())));

function clientOf(kubeconfig: string): KubeApi {
	const api = KubeApi.fromFile(kubeconfig);
	clients.push(api);
	return api;
}

/** All that an app may do, and nothing else: in its namespace, in the one of the workflows, and in the whole cluster. */
const RIGHTS: Record<AppName, { home: string[]; workflows?: string[]; everywhere: string[] }> = {
	gateway: {
		home: [
			'leases.coordination.k8s.io: create delete get list update watch',
			'remediationrequests.kubernaut.ai: create get list watch',
			'remediationrequests/status.kubernaut.ai: patch',
		],
		// Signals are about objects of every namespace.
		everywhere: [
			'jobs.batch: get',
			'nodes: list',
			'pods: get',
			'replicasets.apps: get',
			'subjectaccessreviews.authorization.k8s.io: create',
			'tokenreviews.authentication.k8s.io: create',
		],
	},
	orchestrator: {
		home: [
			'configmaps: get list watch (kubernaut-pause)',
			'events: create',
			'leases.coordination.k8s.io: create delete get list update watch',
			'notificationrequests.kubernaut.ai: create get',
			'remediationapprovals.kubernaut.ai: get list patch watch',
			'remediationrequests.kubernaut.ai: delete get list watch',
			'remediationrequests/status.kubernaut.ai: patch',
			'remediationworkflows.kubernaut.ai: get list watch',
			'remediationworkflows/status.kubernaut.ai: patch',
			'workflowexecutions.kubernaut.ai: create get list watch',
			'workflowexecutions/status.kubernaut.ai: patch',
		],
		everywhere: [],
	},
	'workflow-executor': {
		home: [
			'events: create',
			'leases.coordination.k8s.io: create delete get list update watch',
			'workflowexecutions.kubernaut.ai: get list patch watch',
			'workflowexecutions/status.kubernaut.ai: patch',
		],
		workflows: [
			'pipelineruns.tekton.dev: create delete get list patch watch',
			'pods: get list',
			'taskruns.tekton.dev: delete get list patch',
		],
		everywhere: [],
	},
	notification: {
		home: [
			'events: create',
			'leases.coordination.k8s.io: create delete get list update watch',
			'notificationrequests.kubernaut.ai: delete get list watch',
			'notificationrequests/status.kubernaut.ai: patch',
		],
		everywhere: [],
	},
};

type ResourceRule = { verbs: string[]; apiGroups: string[]; resources: string[]; resourceNames?: string[] };

/** The rights of a user in a namespace, as the API server lists them: one line for each resource. */
async function rightsOf(api: KubeApi, namespace: string): Promise<string[]> {
	const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';
	const { status } = await api.call('POST', path, { body: { spec: { namespace } } });
	const lines = new Map<string, Set<string>>();
	const allow = (what: string, verbs: string[], names = '') => {
		const known = lines.get(`${what}|${names}`) ?? new Set();
		lines.set(`${what}|${names}`, new Set([...known, ...verbs]));
	};
	for (const { verbs, apiGroups, resources, resourceNames } of status.resourceRules as ResourceRule[])
		for (const group of apiGroups)
			for (const resource of resources)
				allow(group === '' ? resource : `${resource}.${group}`, verbs, resourceNames?.join(' '));
	for (const { verbs, nonResourceURLs } of status.nonResourceRules as { verbs: string[]; nonResourceURLs: string[] }[])
		for (const url of nonResourceURLs) allow(url, verbs);
	return [...lines]
		.map(([key, verbs]) => {
			const [what, names] = key.split('|');
			return `${what}: ${[...verbs].toSorted().join(' ')}${names ? ` (${names})` : ''}`;
		})
		.toSorted();
}

/** Without the rights of every authenticated user. */
async function ownRightsOf(api: KubeApi, namespace: string): Promise<string[]> {
	const everybodys = await rightsOf(stranger, namespace);
	return (await rightsOf(api, namespace)).filter((right) => !everybodys.includes(right));
}

const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

it('an account without a role is known by its name and may do nothing', async () => {
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

	it('may do what its table says in its own namespace, and nothing else', async () => {
		const want = [...RIGHTS[app].home, ...RIGHTS[app].everywhere].toSorted();
		await expect.poll(() => ownRightsOf(api, home)).toEqual(want);
	});

	it('may do what its table says in the execution namespace, and nothing else', async () => {
		const want = [...(RIGHTS[app].workflows ?? []), ...RIGHTS[app].everywhere].toSorted();
		await expect.poll(() => ownRightsOf(api, executionNamespaceOf(home))).toEqual(want);
	});

	it('may do in another namespace only what it may do everywhere', async () => {
		await expect.poll(() => ownRightsOf(api, elsewhere)).toEqual(RIGHTS[app].everywhere);
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

it('a right too many is seen, however it is written', async () => {
	const api = clientOf(await serviceAccountKubeconfig(admin, home, 'greedy', kubeconfigPath));
	const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${home}`;
	const metadata = { name: 'greedy' };
	const rules = [
		{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['*'] },
		{ apiGroups: ['*'], resources: ['*'], verbs: ['get'] },
		{ apiGroups: [''], resources: ['configmaps'], verbs: ['delete'], resourceNames: ['kubernaut-pause'] },
	];
	await admin.call('POST', `${rbac}/roles`, { body: { metadata, rules } });
	await admin.call('POST', `${rbac}/rolebindings`, {
		body: {
			metadata,
			roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'greedy' },
			subjects: [{ kind: 'ServiceAccount', name: 'greedy', namespace: home }],
		},
	});
	await expect
		.poll(() => ownRightsOf(api, home))
		.toEqual(['*.*: get', 'configmaps: delete (kubernaut-pause)', 'leases.coordination.k8s.io: *']);
	expect(await ownRightsOf(api, elsewhere)).toEqual([]);
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
