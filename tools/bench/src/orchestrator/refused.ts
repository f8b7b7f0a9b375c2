// Targets whose execution a policy of the cluster rejects: what trying again costs, with 1, 3 and 10 replicas. The first
// minute is left out, because the waits grow in it.
import { setTimeout as delay } from 'node:timers/promises';
import { freshDeployment } from '../gateway/signal-load.ts';
import type { Result } from '../result.ts';
import { callsSince, createRequest, type Open, type Report, type Stage, untilRequests } from './stage.ts';

const REFUSED = 30;
const REPLICAS = [1, 3, 10];
const MINUTE_MS = 60_000;
const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const POLICY = 'bench-refuses-executions';

export async function measureRefused(stage: Stage, open: Open, report: Report): Promise<Result[]> {
	const namespaces = REPLICAS.map((replicas) => `refused-${replicas}`);
	const orchestras = [];
	for (const [i, replicas] of REPLICAS.entries()) orchestras.push(await open(namespaces[i]!, replicas));
	await refuse(stage, namespaces);
	try {
		for (const namespace of namespaces)
			for (let i = 0; i < REFUSED; i++) await createRequest(stage, namespace, freshDeployment('refused'));
		for (const namespace of namespaces)
			await untilRequests(stage, namespace, (all) => all.every(({ blockReason }) => blockReason !== undefined));
		await delay(MINUTE_MS);
		const mark = stage.auditLog.mark();
		await delay(MINUTE_MS);
		const counted = orchestras.map((orchestra) => {
			const calls = callsSince(stage.auditLog, mark, orchestra);
			const tries = calls.filter(({ verb, resource }) => verb === 'create' && resource === 'workflowexecutions');
			return { calls: calls.length, tries: tries.length / REFUSED };
		});
		for (const [i, { calls, tries }] of counted.entries())
			report(
				`${REFUSED} refused targets, ${REPLICAS[i]} replicas: ${calls} calls and ${tries.toFixed(2)} tries per target a minute`,
			);
		return [
			{
				name: 'refused.triesPerMinute',
				value: Math.max(...counted.map(({ tries }) => tries)),
				unit: 'per target',
				target: { atMost: 3 },
			},
			...counted.map(({ calls }, i) => ({ name: `refused.calls.${REPLICAS[i]}`, value: calls, unit: 'a minute' })),
		];
	} finally {
		for (const kind of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
			await stage.api.send('DELETE', `${POLICIES}/${kind}/${POLICY}`);
		for (const orchestra of orchestras) await orchestra.stop();
	}
}

/** In force when the API server has learned of it: requests that come before are executed, and not counted on. */
async function refuse({ api }: Stage, namespaces: readonly string[]): Promise<void> {
	const rule = { apiGroups: ['kubernaut.ai'], apiVersions: ['*'], operations: ['CREATE'] };
	await api.call('POST', `${POLICIES}/validatingadmissionpolicies`, {
		body: {
			metadata: { name: POLICY },
			spec: {
				matchConstraints: { resourceRules: [{ ...rule, resources: ['workflowexecutions'] }] },
				validations: [{ expression: 'false', message: 'frozen for the bench' }],
			},
		},
	});
	const values = [...namespaces];
	const namespaceSelector = { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values }] };
	await api.call('POST', `${POLICIES}/validatingadmissionpolicybindings`, {
		body: {
			metadata: { name: POLICY },
			spec: { policyName: POLICY, validationActions: ['Deny'], matchResources: { namespaceSelector } },
		},
	});
	await delay(5000);
}
