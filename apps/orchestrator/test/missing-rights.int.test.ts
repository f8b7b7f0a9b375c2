// A replica that lacks a right which it cannot work without says so: it is not ready, and names the rule. One that it can
// work without is named in the log.
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { startApp } from '@kubernaut/testkit';
import { describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

type Rule = { readonly resources: readonly string[]; readonly verbs: readonly string[] };

/** The rules are changed before anything starts; what is returned gives them back. */
async function changeRules({ api, namespace }: World, change: (rule: Rule) => Rule): Promise<() => Promise<unknown>> {
	const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/orchestrator`;
	const { rules } = (await api.call('GET', role)) as unknown as { rules: Rule[] };
	const setRules = (changed: readonly Rule[]) =>
		api.call('PATCH', role, { body: { rules: changed }, contentType: MERGE_PATCH });
	await setRules(rules.map(change));
	return () => setRules(rules);
}

describe('without the rights on Leases', () => {
	it('a replica is not ready and names the rule, and is ready when it has them', async () => {
		const world = await openWorld('no-leases', 0);
		const { namespace, kubeconfig } = world;
		const giveBack = await changeRules(world, (rule) =>
			rule.resources.includes('leases') ? { ...rule, verbs: ['get', 'list', 'watch'] } : rule,
		);
		const running = await startApp('orchestrator', { kubeconfig, namespace, podName: 'without-leases' });
		world.processes.push(running);
		await eventually(
			async () => {
				const answer = await fetch(`${running.healthUrl}/readyz`).catch(() => undefined);
				const { checks = [] } = ((await answer?.json()) ?? {}) as { checks?: { message: string }[] };
				return `${answer?.status} ${checks.map(({ message }) => message).join('; ')}`;
			},
			(answer) => expect(answer).toMatch(/^503 .*"resources":\["leases"\],"verbs":\["create"\]/),
		);
		await giveBack();
		await running.waitUntilReady(60_000);
	});
});

describe('without the right to write the status of workflows', () => {
	it('a replica works and names the rule in its log, and writes the status when it has it', async () => {
		const world = await openWorld('no-workflow-status', 0, {}, (prepared) => prepared.createWorkflow('restart'));
		const giveBack = await changeRules(world, (rule) => ({
			...rule,
			resources: rule.resources.filter((resource) => resource !== 'remediationworkflows/status'),
		}));
		const running = await world.start('without-status');
		await world.untilExecuting(await world.createRequest());
		await eventually(
			async () => running.output().filter((line) => line.includes('workflow status not written')),
			(lines) => expect(lines.join('\n')).toMatch(/remediationworkflows\/status.*patch/),
		);
		await giveBack();
		await eventually(
			() => world.api.call('GET', world.path('remediationworkflows', 'restart')),
			(workflow) => expect(workflow).toMatchObject({ status: { conditions: [{ type: 'Ready', status: 'True' }] } }),
		);
	});
});
