// The API server rejects an execution (a policy of the cluster, a quota, a missing right): its request has the API server's
// own message, people are notified, other requests of the target go on, and it runs when the rejection is lifted.
import { setTimeout as delay } from 'node:timers/promises';
import { auditLog } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { FROZEN, type RefusingPolicy, refuseExecutions } from './harness/refusing-policy.ts';
import { openWorld, type World } from './harness/world.ts';

const TARGET = 'shop/Deployment/refused';
const REFUSED = 5;
const LOOKED_AT_MS = 20_000;
/** At once, and after 2, 6 and 14 s; a replica that was late with the news may add one. */
const MAX_TRIES = 5;

let world: World;
let policy: RefusingPolicy;
beforeAll(async () => {
	world = await openWorld('refused', 3, { RESOURCE_LOCKING_COOLDOWN_PERIOD: '0s' }, async (prepared) => {
		await prepared.createWorkflow('restart', { signalNames: ['CrashLooping'] });
		await prepared.createWorkflow('scale', { signalNames: ['TooSlow'] });
	});
	policy = await refuseExecutions(world, 'restart');
});
afterAll(() => policy.lift());

describe('an execution that the API server rejects', () => {
	it('is tried a few times, whatever the number of replicas, and reported once', async () => {
		const targets = Array.from({ length: REFUSED }, (_, i) => `shop/Deployment/tried-${i}`);
		const mark = auditLog()?.mark();
		const requests = await Promise.all(
			targets.map((target) => world.createRequest({ target, signalName: 'CrashLooping' })),
		);
		await delay(LOOKED_AT_MS);
		const tries = auditLog()?.calls(mark, {
			userAgent: 'kubernaut-orchestrator',
			verb: 'create',
			resource: 'workflowexecutions',
			namespace: world.namespace,
		}).length;
		console.log(`${tries} tries for ${REFUSED} refused targets in ${LOOKED_AT_MS / 1000} s with 3 replicas`);
		expect(tries ?? 0).toBeLessThanOrEqual(REFUSED * MAX_TRIES);
		for (const { metadata } of requests) {
			const { status } = await world.until(metadata.name, 'ConfigurationError');
			expect(status.blockMessage).toContain(FROZEN);
			expect(status.blockedUntil).toBeDefined();
			expect(await world.events(metadata.name)).toHaveLength(1);
		}
	});

	it('blocks its request with the reason, notifies once, delays no other request, and runs in the end', async () => {
		const refused = await world.createRequest({ target: TARGET, signalName: 'CrashLooping' });
		const { status } = await world.until(refused.metadata.name, 'ConfigurationError');
		expect(status.blockMessage).toContain(FROZEN);
		expect((await world.notified(refused, 1)).map(({ spec }) => spec.type)).toEqual(['ManualReview']);

		const other = await world.createRequest({ target: TARGET, signalName: 'TooSlow' });
		const execution = await world.untilExecuting(other);
		await world.endExecution(execution.metadata.name, 'Completed');
		await world.until(other.metadata.name, 'Completed');

		await policy.lift();
		await eventually(
			() => world.request(refused.metadata.name),
			({ status: now }) => expect(now.overallPhase).toBe('Executing'),
		);
		expect((await world.notified(refused, 1)).length).toBe(1);
	});
});
