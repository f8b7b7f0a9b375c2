// The API server rejects an execution (a policy of the cluster, a quota, a missing right): its request has the API server's
// own message, people are notified, other requests of the target go on, and it runs when the rejection is lifted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const TARGET = 'shop/Deployment/refused';

let world: World;
let policy: string;
beforeAll(async () => {
	world = await openWorld('refused', 2, { RESOURCE_LOCKING_COOLDOWN_PERIOD: '0s' }, async (prepared) => {
		await prepared.createWorkflow('restart', { signalNames: ['CrashLooping'] });
		await prepared.createWorkflow('scale', { signalNames: ['TooSlow'] });
	});
	policy = `no-restart-in-${world.namespace}`;
	await refuseRestarts();
});
afterAll(allowRestarts);

async function refuseRestarts(): Promise<void> {
	await world.api.call('POST', `${POLICIES}/validatingadmissionpolicies`, {
		body: {
			metadata: { name: policy },
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
				validations: [
					{ expression: "object.spec.workflowRef.name != 'restart'", message: 'restarts are frozen until Monday' },
				],
			},
		},
	});
	await world.api.call('POST', `${POLICIES}/validatingadmissionpolicybindings`, {
		body: {
			metadata: { name: policy },
			spec: {
				policyName: policy,
				validationActions: ['Deny'],
				matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': world.namespace } } },
			},
		},
	});
	// It takes the API server a moment to know it.
	const target = 'shop/Deployment/probe';
	await eventually(
		async () => {
			const made = await world.putExecutions(target, [{}]).then(
				([execution]) => execution,
				() => undefined,
			);
			if (made !== undefined) await world.deleteExecution(made.metadata.name);
			return made;
		},
		(made) => expect(made).toBeUndefined(),
	);
}

async function allowRestarts(): Promise<void> {
	for (const kind of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
		await world.api.send('DELETE', `${POLICIES}/${kind}/${policy}`);
}

describe('an execution that the API server rejects', () => {
	it('blocks its request with the reason, notifies once, delays no other request, and runs in the end', async () => {
		const refused = await world.createRequest({ target: TARGET, signalName: 'CrashLooping' });
		const { status } = await world.until(refused.metadata.name, 'ConfigurationError');
		expect(status.blockMessage).toContain('restarts are frozen until Monday');
		expect((await world.notified(refused, 1)).map(({ spec }) => spec.type)).toEqual(['ManualReview']);

		const other = await world.createRequest({ target: TARGET, signalName: 'TooSlow' });
		const execution = await world.untilExecuting(other);
		await world.endExecution(execution.metadata.name, 'Completed');
		await world.until(other.metadata.name, 'Completed');

		await allowRestarts();
		await world.untilExecuting(refused);
		expect((await world.notified(refused, 1)).length).toBe(1);
	});
});
