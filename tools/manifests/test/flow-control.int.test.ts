// Lock traffic really has the priority level that the manifests make for it: the API server says so in each answer.
import { KubeApi, type KubeObject } from '@kubernaut/control-plane';
import { adminApi, applyObject, serviceAccountKubeconfig } from '@kubernaut/testkit';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { renderOverlay } from '../src/render.ts';

const WANTED = ['Namespace', 'ServiceAccount', 'PriorityLevelConfiguration', 'FlowSchema', 'Role', 'RoleBinding'];
const NAME = 'kubernaut-system-locks';
const FLOW_CONTROL = '/apis/flowcontrol.apiserver.k8s.io/v1';
const admin = adminApi();
const clients: KubeApi[] = [];
let schemaUid: string;

beforeAll(async () => {
	for (const object of await renderOverlay('production'))
		if (WANTED.includes(object['kind'])) await applyObject(admin, object);
	const path = `${FLOW_CONTROL}/flowschemas/${NAME}`;
	const schema = await admin.call('GET', path);
	schemaUid = schema['metadata'].uid;
	// A schema whose priority level is not there is marked as dangling, and does nothing.
	const dangling = ({ status }: KubeObject) =>
		(status?.conditions ?? []).find(({ type }: { type: string }) => type === 'Dangling')?.status;
	await vi.waitFor(async () => expect(dangling(await admin.call('GET', path))).toBe('False'), { timeout: 30_000 });
});
afterAll(() => Promise.all(clients.map((client) => client.close())));

async function clientOf(account: string): Promise<KubeApi> {
	const { kubeconfigPath } = inject('controlPlane');
	const api = KubeApi.fromFile(await serviceAccountKubeconfig(admin, 'kubernaut-system', account, kubeconfigPath));
	clients.push(api);
	return api;
}

/** Whether the API server classified the call under our schema. */
async function isOurs(api: KubeApi, path: string): Promise<boolean> {
	let uid: unknown;
	await api.send('GET', path, { onHeaders: (headers) => (uid = headers['x-kubernetes-pf-flowschema-uid']) });
	return uid === schemaUid;
}

const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/some`;
const RUNS = '/apis/tekton.dev/v1/namespaces/kubernaut-workflows/pipelineruns/some';
const REQUESTS = '/apis/kubernaut.ai/v1alpha1/namespaces/kubernaut-system/remediationrequests/some';

it.each(['gateway', 'orchestrator', 'workflow-executor', 'notification'])(
	'a Lease of %s is lock traffic',
	async (app) => {
		const api = await clientOf(app);
		await expect.poll(() => isOurs(api, leases('kubernaut-system'))).toBe(true);
		expect(await isOurs(api, leases('default'))).toBe(false);
		expect(await isOurs(api, REQUESTS)).toBe(false);
	},
);

it('a PipelineRun is lock traffic of the executor alone', async () => {
	expect(await isOurs(await clientOf('workflow-executor'), RUNS)).toBe(true);
	expect(await isOurs(await clientOf('orchestrator'), RUNS)).toBe(false);
});

it('other accounts of the namespace do not share it', async () => {
	expect(await isOurs(await clientOf('alertmanager-example'), leases('kubernaut-system'))).toBe(false);
});
