// A replica that lacks a right which it cannot work without says so: it is not ready, and names the rule.
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { startApp } from '@kubernaut/testkit';
import { describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openWorld } from './harness/world.ts';

type Rule = { readonly resources: readonly string[]; readonly verbs: readonly string[] };

describe('without the rights on Leases', () => {
	it('a replica is not ready and names the rule, and is ready when it has them', async () => {
		const world = await openWorld('no-leases', 0);
		const { api, namespace, kubeconfig } = world;
		const role = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/orchestrator`;
		const { rules } = (await api.call('GET', role)) as unknown as { rules: Rule[] };
		const setRules = (changed: readonly Rule[]) =>
			api.call('PATCH', role, { body: { rules: changed }, contentType: MERGE_PATCH });
		const onlyRead = (rule: Rule) =>
			rule.resources.includes('leases') ? { ...rule, verbs: ['get', 'list', 'watch'] } : rule;
		await setRules(rules.map(onlyRead));
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
		await setRules(rules);
		await running.waitUntilReady(60_000);
	});
});
