// A real policy of the cluster that rejects the executions of one workflow, as a change freeze does.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { World } from './world.ts';

export const FROZEN = 'restarts are frozen until Monday';
const POLICIES = '/apis/admissionregistration.k8s.io/v1';

export type RefusingPolicy = { lift(): Promise<void> };

/** In force when this ends. */
export async function refuseExecutions(world: World, workflow: string): Promise<RefusingPolicy> {
	const name = `no-${workflow}-${randomBytes(4).toString('hex')}`;
	await world.api.call('POST', `${POLICIES}/validatingadmissionpolicies`, {
		body: {
			metadata: { name },
			spec: {
				matchConstraints: {
					resourceRules: [
						{
							apiGroups: ['kubernaut.ai'],
							apiVersions: ['*'],
							operations: ['CREATE'],
							resources: ['workflowexecutions'],
						},
					],
				},
				validations: [{ expression: `object.spec.workflowRef.name != '${workflow}'`, message: FROZEN }],
			},
		},
	});
	await world.api.call('POST', `${POLICIES}/validatingadmissionpolicybindings`, {
		body: {
			metadata: { name },
			spec: {
				policyName: name,
				validationActions: ['Deny'],
				matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } } },
			},
		},
	});
	// It takes the API server a moment to know it.
	await eventually(
		async () => {
			const made = await world.putExecutions('shop/Deployment/probe', [{ workflow }]).then(
				([execution]) => execution,
				() => undefined,
			);
			if (made !== undefined) await world.deleteExecution(made.metadata.name);
			return made;
		},
		(made) => expect(made).toBeUndefined(),
	);
	return {
		async lift() {
			for (const kind of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
				await world.api.send('DELETE', `${POLICIES}/${kind}/${name}`);
		},
	};
}
