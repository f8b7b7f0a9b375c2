// What a RemediationWorkflow says of itself: the examples of docs/workflows.md, the condition Ready, and the counts. And
// an expression that the API server accepts stops no replica.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationWorkflow } from '../src/generated/remediation-workflow.ts';
import { COSTLY_EXPRESSIONS } from './harness/costly-expressions.ts';
import { eventually } from './harness/eventually.ts';
import { type WorkflowExample, workflowExamples } from './harness/workflows-page.ts';
import { openWorld, type World } from './harness/world.ts';

const REPLICAS = 3;
const MAX_SILENCE_MS = 1000;
const TRIES = 3;

let world: World;
beforeAll(async () => {
	world = await openWorld('workflow-status', REPLICAS);
}, 200_000);

const find = async (name: string) =>
	(await world.api.call('GET', world.path('remediationworkflows', name))) as unknown as RemediationWorkflow;
const readyOf = ({ status }: RemediationWorkflow) => status?.conditions?.find(({ type }) => type === 'Ready');

/** Its condition Ready, once it is about this generation. */
async function untilJudged(name: string, generation = 1) {
	const workflow = await eventually(
		() => find(name),
		(found) => expect(readyOf(found)?.observedGeneration).toBe(generation),
	);
	return readyOf(workflow)!;
}

/** Of all replicas together. */
async function metric(line: RegExp): Promise<number> {
	let sum = 0;
	for (const { metricsUrl } of world.processes)
		for (const [, value] of (await (await fetch(metricsUrl)).text()).matchAll(line)) sum += Number(value);
	return sum;
}
/** Those that were stored, or all that were tried. */
const statusWrites = (code: '2xx' | '\\w+') =>
	metric(
		new RegExp(
			`^ro_api_requests_total\\{verb="patch",resource="remediationworkflows/status",code="${code}"\\} (\\d+)$`,
			'gm',
		),
	);
const countOf = (workflow: string, result: string) =>
	metric(new RegExp(`^ro_workflow_requests_total\\{workflow="${workflow}",result="${result}"\\} (\\d+)$`, 'gm'));

describe('an example of docs/workflows.md', () => {
	const examples = workflowExamples();
	const create = ({ workflow }: WorkflowExample) =>
		world.api.send('POST', world.path('remediationworkflows'), { body: workflow });

	it.each(examples.filter(({ refused }) => refused === undefined))(
		'$name is accepted, and ready as the page says; not ready: $notReady',
		async (example) => {
			const { status, body } = await create(example);
			expect(status, JSON.stringify(body)).toBe(201);
			const { notReady } = example;
			const want = notReady === undefined ? { status: 'True', reason: 'Valid' } : { status: 'False', reason: notReady };
			expect(await untilJudged(example.name)).toMatchObject(want);
		},
	);

	it.each(examples.filter(({ refused }) => refused !== undefined))('$name is refused: $refused', async (example) => {
		const { status, body } = await create(example);
		expect(status).toBe(422);
		expect((body as { message: string }).message).toContain(example.refused);
	});
});

describe('the condition Ready', () => {
	it('is written once for each generation, whatever the number of replicas', async () => {
		await world.createWorkflow('edited', { signalNames: ['^(Edited.{0,90}){1,10}(a.{0,90}){1,10}$'] });
		expect(await untilJudged('edited')).toMatchObject({ status: 'False', reason: 'ExpressionTooCostly' });
		await world.afterwards(); // a write is stored before the replica that made it counts it
		const before = await statusWrites('2xx');
		const { lastTransitionTime } = readyOf(await find('edited'))!;
		await delay(1100); // times have whole seconds
		await world.editWorkflow('edited', { match: { signalNames: ['^(Edited.{0,90}){1,10}(b.{0,90}){1,10}$'] } });
		expect(await untilJudged('edited', 2)).toMatchObject({ status: 'False', lastTransitionTime });
		await world.editWorkflow('edited', { match: { signalNames: ['^Edited.*$'] } });
		const ready = await untilJudged('edited', 3);
		expect(ready).toMatchObject({ status: 'True', reason: 'Valid', message: '' });
		expect(ready.lastTransitionTime).not.toBe(lastTransitionTime);
		await world.afterwards();
		expect((await statusWrites('2xx')) - before).toBe(2);
		expect((await find('edited')).metadata.generation).toBe(3);
	});

	it('is tried by the replica whose turn it is; the others see it written', async () => {
		// One that is late with the news on a busy machine tries too, and is refused: the best of some tries counts.
		await world.createWorkflow('in-turn', { signalNames: ['InTurn'] });
		await untilJudged('in-turn');
		const tries: number[] = [];
		while (tries.length < TRIES && !tries.includes(1)) {
			await world.afterwards();
			const before = await statusWrites('\\w+');
			const { metadata } = await world.editWorkflow('in-turn', { priority: tries.length + 1 });
			await untilJudged('in-turn', metadata.generation);
			await world.afterwards();
			tries.push((await statusWrites('\\w+')) - before);
		}
		expect(Math.min(...tries)).toBe(1);
	});
});

describe('an expression that takes most of a minute', () => {
	it('stops no replica: it is not used, the workflow is not Ready, and the block says so', async () => {
		// The best of some tries counts: whatever else the machine does makes it worse, and never better.
		const silencesMs: number[] = [];
		while (silencesMs.length < TRIES && !silencesMs.some((ms) => ms < MAX_SILENCE_MS))
			silencesMs.push(await silenceBeside(silencesMs.length));
		console.log(`longest silence of a replica: ${silencesMs.map(Math.round).join(', ')} ms`);
		expect(Math.min(...silencesMs)).toBeLessThan(MAX_SILENCE_MS);
	});

	/** With expressions and names that no replica has seen before. */
	async function silenceBeside(attempt: number): Promise<number> {
		// The block names the first by name of the workflows that are not ready.
		const [name, plainName] = [`costly-${TRIES - attempt}`, `Plain${attempt}`];
		const expressions = COSTLY_EXPRESSIONS.slice(1).map((expression) => expression.replace('x', `x${attempt}`));
		const silence = watchHealth(world);
		await world.createWorkflow(name, { signalNames: [...expressions, plainName] });
		const signalName = 'ab'[attempt % 2]!.repeat(256 - attempt);
		const request = await world.createRequest({ signalName, target: `cost/Deployment/a-${attempt}` });
		const plain = await world.createRequest({ signalName: plainName, target: `cost/Deployment/b-${attempt}` });
		await world.until(request.metadata.name, 'NoWorkflow');
		expect(await untilJudged(name)).toMatchObject({ status: 'False', reason: 'ExpressionTooCostly' });
		const longestMs = await silence.longestMs();
		// A replica may have seen the request before the workflow: each kind has a watch of its own.
		const notReady = `; RemediationWorkflow ${name} is not ready: match.signalNames: the expressions`;
		await eventually(
			() => world.request(request.metadata.name),
			({ status }) => expect(status.blockMessage).toContain(notReady),
		);
		expect((await world.untilExecuting(plain)).spec.workflowRef.name).toBe(name);
		return longestMs;
	}
});

describe('counts and labels', () => {
	it('of a workflow are metrics, each counted once over all replicas; executions carry its label', async () => {
		await world.createWorkflow('counted', { signalNames: ['Counted'], cooldown: '0s' });
		const counts = async () => [
			await countOf('counted', 'matched'),
			await countOf('counted', 'executed'),
			await countOf('counted', 'succeeded'),
			await countOf('counted', 'failed'),
		];
		const good = await world.createRequest({ signalName: 'Counted', target: 'count/Deployment/good' });
		const bad = await world.createRequest({ signalName: 'Counted', target: 'count/Deployment/bad' });
		await world.endExecution((await world.untilExecuting(good)).metadata.name, 'Completed');
		await world.endExecution((await world.untilExecuting(bad)).metadata.name, 'Failed');
		await world.until(good.metadata.name, 'Completed');
		await world.until(bad.metadata.name, 'Failed');
		await eventually(counts, (seen) => expect(seen).toEqual([2, 2, 1, 1]));
		const selector = encodeURIComponent(
			'kubernaut.ai/workflow=counted,kubernaut.ai/target-kind=Deployment,kubernaut.ai/target-namespace=count,kubernaut.ai/signal=Counted',
		);
		const { items } = await world.api.call('GET', `${world.path('workflowexecutions')}?labelSelector=${selector}`);
		expect(items).toHaveLength(2);
		await world.api.call('DELETE', world.path('remediationworkflows', 'counted'));
		await eventually(counts, (seen) => expect(seen).toEqual([0, 0, 0, 0]));
	});
});

/** Asks every replica for its health, again and again, and remembers the longest wait for an answer. */
function watchHealth({ processes }: World) {
	let longestMs = 0;
	const stopping = new AbortController();
	const asking = processes.map(async ({ healthUrl }) => {
		while (!stopping.signal.aborted) {
			const askedAt = performance.now();
			await (await fetch(`${healthUrl}/healthz`)).text();
			longestMs = Math.max(longestMs, performance.now() - askedAt);
			await delay(50);
		}
	});
	return {
		async longestMs() {
			stopping.abort();
			await Promise.all(asking);
			return longestMs;
		},
	};
}
