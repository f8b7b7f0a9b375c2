// Tekton is played: executors that start where a right, the execution namespace or Tekton itself is missing. What waits says
// why, readiness too, and it goes on without a restart when what was missing is there.
import { KubeApi, MERGE_PATCH, startControlPlane } from '@kubernaut/control-plane';
import { type AppProcess, appKubeconfig, applyCrds, atTheEnd } from '@kubernaut/testkit';
import { applyCrdsWithoutTekton } from '@kubernaut/testkit/apply';
import { expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openWorld, World } from './harness/world.ts';

const TARGET = 'shop/Deployment/cart';
/** Less than the minute after which a fault is forgotten in any case, and enough for a busy machine. */
const READY_SOON_MS = 20_000;
type Rule = { readonly resources: readonly string[]; readonly verbs: readonly string[] };

async function expectWaiting(world: World, name: string, reason: string): Promise<void> {
	await eventually(
		() => world.execution(name),
		(execution) =>
			expect(execution?.status, JSON.stringify(execution?.status)).toMatchObject({
				phase: 'Pending',
				conditions: expect.arrayContaining([expect.objectContaining({ type: 'Waiting', status: 'True', reason })]),
			}),
	);
}

async function expectNotReady({ healthUrl }: AppProcess, words: string): Promise<void> {
	await eventually(
		async () => {
			const answer = await fetch(`${healthUrl}/readyz`);
			return { status: answer.status, text: await answer.text() };
		},
		({ status, text }) => {
			expect(text).toContain(words);
			expect(status).toBe(503);
		},
	);
}

it('with Tekton played, an executor that may not watch runs decides nothing, and every execution says why', async () => {
	const world = await openWorld('no-right', 0);
	const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.workflows}/roles/workflow-executor`;
	const { rules } = await world.api.call('GET', role);
	const setRules = (now: object[]) => world.api.call('PATCH', role, { body: { rules: now }, contentType: MERGE_PATCH });
	const isSeeing = (verb: string) => ['list', 'watch'].includes(verb);
	const blind = (rule: Rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => !isSeeing(verb)) });
	await setRules((rules as Rule[]).map((rule) => (rule.resources.includes('pipelineruns') ? blind(rule) : rule)));
	// The authorizer hears of it by a watch.
	const user = `system:serviceaccount:${world.namespace}:workflow-executor`;
	const asked = { namespace: world.workflows, verb: 'watch', group: 'tekton.dev', resource: 'pipelineruns' };
	const review = { spec: { user, resourceAttributes: asked } };
	await eventually(
		() => world.api.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body: review }),
		({ status }) => expect(status.allowed).toBe(false),
	);
	const executor = await world.launch('executor-0');
	const waiting = await world.createExecution(TARGET);
	await expectWaiting(world, waiting.metadata.name, 'MissingRight');
	await expectNotReady(executor, 'pipelineruns');
	expect(await world.run(TARGET)).toBeUndefined();
	await setRules(rules);
	await world.until(waiting, 'Completed');
	await executor.waitUntilReady(60_000);
});

it('with Tekton played, a replica that was refused is ready again as soon as another has made the run', async () => {
	const world = await openWorld('no-create', 2);
	const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.workflows}/roles/workflow-executor`;
	const { rules } = await world.api.call('GET', role);
	const setRules = (now: object[]) => world.api.call('PATCH', role, { body: { rules: now }, contentType: MERGE_PATCH });
	const without = (rule: Rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') });
	await setRules((rules as Rule[]).map((rule) => (rule.resources.includes('pipelineruns') ? without(rule) : rule)));
	const user = `system:serviceaccount:${world.namespace}:workflow-executor`;
	const asked = { namespace: world.workflows, verb: 'create', group: 'tekton.dev', resource: 'pipelineruns' };
	const review = { spec: { user, resourceAttributes: asked } };
	await eventually(
		() => world.api.call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { body: review }),
		({ status }) => expect(status.allowed).toBe(false),
	);
	const waiting = await world.createExecution(TARGET);
	await expectWaiting(world, waiting.metadata.name, 'MissingRight');
	for (const executor of world.processes) await expectNotReady(executor, 'pipelineruns');
	await setRules(rules);
	await world.until(waiting, 'Completed');
	// Before, the replica that did not make the run stayed not ready for a minute.
	for (const executor of world.processes) await executor.waitUntilReady(READY_SOON_MS);
});

it('with Tekton played, a missing execution namespace is waited for', async () => {
	const world = await openWorld('no-namespace', 0);
	const name = `${world.namespace}-later`;
	// A Role cannot be in a namespace that is not there: these rights are in all.
	const rbac = '/apis/rbac.authorization.k8s.io/v1';
	const { rules } = await world.api.call('GET', `${rbac}/namespaces/${world.workflows}/roles/workflow-executor`);
	await world.api.call('POST', `${rbac}/clusterroles`, { body: { metadata: { name }, rules } });
	const subjects = [{ kind: 'ServiceAccount', name: 'workflow-executor', namespace: world.namespace }];
	const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
	await world.api.call('POST', `${rbac}/clusterrolebindings`, { body: { metadata: { name }, roleRef, subjects } });
	atTheEnd(async () => {
		await world.api.call('DELETE', `${rbac}/clusterrolebindings/${name}`);
		await world.api.call('DELETE', `${rbac}/clusterroles/${name}`);
	});
	const executor = await world.launch('executor-0', { EXECUTION_NAMESPACE: name });
	const waiting = await world.createExecution(TARGET);
	await expectWaiting(world, waiting.metadata.name, 'MissingNamespace');
	await expectNotReady(executor, name);
	await world.api.call('POST', '/api/v1/namespaces', { body: { metadata: { name } } });
	await world.until(waiting, 'Running');
	await executor.waitUntilReady(60_000);
});

it('with Tekton played, Tekton that is not installed is waited for', async () => {
	const controlPlane = await startControlPlane();
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	await applyCrds(api);
	const namespace = 'not-installed';
	await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
	const kubeconfig = await appKubeconfig(api, 'workflow-executor', namespace, controlPlane.kubeconfigPath);
	const world = new World(api, namespace, kubeconfig, undefined, {}, false);
	atTheEnd(async () => {
		await world.stop();
		await api.close();
		await controlPlane.stop();
	});
	const executor = await world.launch('executor-0');
	const waiting = await world.createExecution(TARGET);
	await expectWaiting(world, waiting.metadata.name, 'EngineNotInstalled');
	await expectNotReady(executor, 'pipelineruns');
	await applyCrdsWithoutTekton(api);
	await world.until(waiting, 'Running');
	await executor.waitUntilReady(60_000);
});
