// The API server fails to store executions (5xx: an admission webhook of the cluster is down): people see why, in the
// requests, in readiness and in a metric, and everything runs when it is repaired.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { type FailingWebhook, startFailingWebhook } from './harness/failing-webhook.ts';
import { nameOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const REQUESTS = 5;

let world: World;
let webhook: FailingWebhook;
beforeAll(async () => {
	world = await openWorld('failing', 2, {}, (prepared) => prepared.createWorkflow('restart'));
	webhook = await startFailingWebhook(world.api, world.namespace);
	// It takes the API server a moment to know it.
	await eventually(
		async () => {
			const [made] = await world.putExecutions('probe/Pod/p', [{}]).catch(() => []);
			if (made !== undefined) await world.deleteExecution(nameOf(made));
			return made;
		},
		(made) => expect(made).toBeUndefined(),
	);
});
afterAll(() => webhook.close());

const readiness = () =>
	Promise.all(
		world.processes.map(async ({ healthUrl }) => {
			const answer = await fetch(`${healthUrl}/readyz`);
			return { ok: answer.ok, text: await answer.text() };
		}),
	);
async function failures(): Promise<number> {
	let sum = 0;
	for (const { metricsUrl } of world.processes) {
		const text = await (await fetch(metricsUrl)).text();
		sum += Number(/^ro_execution_create_failures_total\{reason="unavailable"\} (\d+)$/m.exec(text)?.[1] ?? 0);
	}
	return sum;
}

describe('an execution that the API server fails to store', () => {
	it('blocks its request with the words of the error, is shown by readiness and a metric, and runs in the end', async () => {
		const requests = await Promise.all(
			Array.from({ length: REQUESTS }, (_, i) => world.createRequest({ target: `shop/Deployment/d${i}` })),
		);
		for (const request of requests) {
			const { status } = await world.until(nameOf(request), 'ConfigurationError');
			expect(status.blockMessage).toMatch(/failed calling webhook "broken\.kubernaut\.ai"/);
			expect(status.blockedUntil).toBeDefined();
			expect(status.conditions?.map(({ type }) => type)).toContain('Progressing');
			await eventually(
				() => world.events(nameOf(request)),
				(events) => expect(events.map(({ reason }) => reason)).toEqual(['ConfigurationError']),
			);
		}
		expect(await failures()).toBeGreaterThanOrEqual(3);
		const answers = await readiness();
		const notReady = world.processes.filter((_, i) => answers[i]?.ok === false);
		expect(answers.map(({ text }) => text).join()).toMatch(/failed calling webhook/);

		// One that failed stands still while the other executes everything: it has no create left to see the end in.
		const [paused] = notReady;
		await paused?.pause();
		webhook.repair();
		for (const request of requests) await world.untilExecuting(request);
		paused?.signal('SIGCONT');
		await eventually(readiness, (again) => expect(again.map(({ ok }) => ok)).toEqual([true, true]));
	});
});
