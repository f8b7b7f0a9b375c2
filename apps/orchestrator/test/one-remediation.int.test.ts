// One request from its creation to its notification: decided, executed, followed to its end.
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	world = await openWorld('one', 3, {}, (prepared) =>
		prepared.createWorkflow('restart', {
			parameters: { TARGET: '{{ target.name }}' },
			timeout: '10m',
			cooldown: '1s',
		}),
	);
});

describe('a request with a workflow', () => {
	it('is executed once, followed to its end, and notified', async () => {
		const request = await world.createRequest();
		const { name, uid } = request.metadata;
		const executing = await world.until(name, 'Executing');
		const execution = await world.executionOf(request);
		expect(execution.spec).toMatchObject({
			remediationRequestRef: { name, uid },
			targetResource: 'shop/Deployment/cart',
			parameters: { TARGET: 'cart' },
			workflowRef: { name: 'restart' },
			pipelineRef: { name: 'restart' },
			timeout: '10m',
			cooldown: '1s',
			chain: 0,
		});
		expect(execution.metadata.ownerReferences).toMatchObject([{ kind: 'RemediationRequest', name, uid }]);
		expect(Number(execution.metadata.annotations?.['kubernaut.ai/fencing-token'])).toBe(
			executing.status.fencing?.token,
		);
		expect(executing.status.workflowExecutionRef).toEqual({
			name: execution.metadata.name,
			uid: execution.metadata.uid,
		});

		await world.endExecution(execution.metadata.name, 'Completed');
		const completed = await world.until(name, 'Completed');
		expect(completed.status).toMatchObject({ outcome: 'Remediated', completedAt: expect.any(String) });
		const notifications = await world.notified(request, 1);
		expect(notifications.map(({ spec }) => spec.type)).toEqual(['Completion']);
		expect(await world.executions()).toHaveLength(1);
		await expect
			.poll(async () => (await world.events(name)).map(({ reason }) => reason).toSorted())
			.toEqual(['Executing', 'Remediated']);
	});
});
