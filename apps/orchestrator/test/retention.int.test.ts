// Finished requests are removed after their retention: the oldest link of a chain first, none that the chain still needs,
// none that was not notified, none whose execution still holds the target.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { eventually } from './harness/eventually.ts';
import { nameOf, requestName, timeOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const RETENTION_MS = 3000;
const LONG_AGO = new Date(Date.now() - 3_600_000);
const IN_AN_HOUR = new Date(Date.now() + 3_600_000);
let world: World;
beforeAll(async () => {
	world = await openWorld('retention', 0, {
		REQUESTS_RETENTION: `${RETENTION_MS}ms`,
		// An execution is remembered for as long as it matters.
		ROUTING_FAILURE_WINDOW: '1s',
		ROUTING_FAILURE_BACKOFF: '1s',
	});
	await world.createWorkflow('careful', { mode: 'Approval' });
});

const finish = (request: RemediationRequest, completedAt: Date, more: Partial<RemediationRequest['status']> = {}) =>
	world.patchRequest(nameOf(request), {
		overallPhase: 'Skipped',
		outcome: 'RemediatedByAnother',
		completedAt: completedAt.toISOString(),
		...more,
	});
const isThere = async (request: RemediationRequest) => (await world.findRequest(nameOf(request))) !== undefined;
const untilGone = (request: RemediationRequest) =>
	eventually(
		() => isThere(request),
		(there) => expect(there).toBe(false),
	);

describe('a finished request', () => {
	it('is removed after its retention, when its chain, its notification and its execution allow it', async () => {
		const target = (name: string) => ({ target: `retention/Deployment/${name}` });
		const over = await world.createRequest(target('over'));
		await finish(over, LONG_AGO);
		const fresh = await world.createRequest(target('fresh'));
		await finish(fresh, IN_AN_HOUR);
		// A chain of three: the middle one could go by its age, but not before the oldest.
		const first = await world.createRequest(target('chain'));
		const second = await world.createRequest({ ...target('chain'), after: first });
		await finish(first, IN_AN_HOUR, { successor: { name: nameOf(second) } });
		const third = await world.createRequest({ ...target('chain'), after: second });
		await finish(second, LONG_AGO, { successor: { name: nameOf(third) } });
		// The next one is announced and not made: without this one, the chain would begin anew beside it.
		const last = await world.createRequest(target('last'));
		const next = requestName(last.spec.signalFingerprint, last);
		await finish(last, LONG_AGO, { successor: { name: next } });
		// Completed asks for a notification, which was never made.
		const unnotified = await world.createRequest(target('unnotified'));
		await finish(unnotified, LONG_AGO, { overallPhase: 'Completed', outcome: 'Remediated' });
		// Its run still holds the target.
		const held = await world.createRequest(target('held'));
		const [execution] = await world.putExecutions('retention/Deployment/held', [{ request: held }]);
		await world.beginExecution(nameOf(execution!));
		await finish(held, LONG_AGO);
		const active = await world.createRequest(target('active'));

		await world.startSeveral(2);
		await Promise.all([over, unnotified].map(untilGone));
		const notifications = (await world.notifications()).filter(
			({ spec }) => spec.remediationRequestRef?.uid === unnotified.metadata.uid,
		);
		expect(notifications.map(({ spec }) => spec.type)).toEqual(['Completion']);

		for (const kept of [first, second]) expect(await isThere(kept)).toBe(true);
		await finish(first, LONG_AGO);
		await untilGone(second);
		expect(await isThere(first)).toBe(false);
		for (const kept of [fresh, third, last, held, active]) expect(await isThere(kept)).toBe(true);

		await world.endExecution(nameOf(execution!), 'Completed', LONG_AGO);
		await untilGone(held);
		const made = await world.createRequest({ ...target('last'), after: last });
		expect(nameOf(made)).toBe(next);
		await untilGone(last);
	});

	it('that became terminal under a running orchestrator is removed after its retention', async () => {
		const request = await world.createRequest({ target: 'retention/Deployment/live' });
		await world.until(nameOf(request), 'AwaitingApproval');
		await world.decide(request, 'Rejected');
		const { status } = await world.until(nameOf(request), 'Cancelled');
		await untilGone(request);
		expect(Date.now()).toBeGreaterThanOrEqual(timeOf(status.completedAt) + RETENTION_MS);
	});
});
