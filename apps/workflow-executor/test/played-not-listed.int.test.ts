// Tekton is played: executors that start without a right. What waits says why, readiness names the rule, and it goes on without a
// restart when the right is there.
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openWorld } from './harness/world.ts';

it('with Tekton played, an executor that may not list runs decides nothing, and says why in every execution', async () => {
	const world = await openWorld('not-listed', 0);
	const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${world.workflows}/roles/workflow-executor`;
	const { rules } = await world.api.call('GET', role);
	const setRules = (now: object[]) => world.api.call('PATCH', role, { body: { rules: now }, contentType: MERGE_PATCH });
	await setRules(
		rules.map((rule: { resources: string[]; verbs: string[] }) =>
			rule.resources.includes('pipelineruns') ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'list') } : rule,
		),
	);
	const executor = await world.launch('executor-0');
	const waiting = await world.createExecution('shop/Deployment/cart');
	await eventually(
		() => world.execution(waiting.metadata.name),
		(execution) =>
			expect(execution?.status).toMatchObject({
				phase: 'Pending',
				conditions: expect.arrayContaining([
					expect.objectContaining({ type: 'Waiting', status: 'True', reason: 'MissingRight' }),
				]),
			}),
	);
	const readiness = await fetch(`${executor.healthUrl}/readyz`);
	expect(readiness.status).toBe(503);
	expect(await readiness.text()).toContain('\\"resources\\":[\\"pipelineruns\\"]');
	expect(await world.run('shop/Deployment/cart')).toBeUndefined();
	await setRules(rules);
	await world.until(waiting, 'Completed');
});
