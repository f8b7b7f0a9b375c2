// A target after its repair: left alone for its cooldown, then free for the next. A WorkflowExecution that is deleted while it
// runs ends its run and gives the target free at once.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type History, recordHistory } from '../harness/judging/history.ts';
import { list, listAt, objectsPath, putWorkflow, requestsAbout, runsPath } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';

/** Long enough that a busy machine sees the next request blocked. */
const COOLDOWN_MS = 20_000;

describe('a target', () => {
	let platform: Platform;
	let sender: Sender;
	let runs: History;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway', 'orchestrator', 'workflow-executor'] });
		sender = await openSender(platform);
		runs = await recordHistory(inject('controlPlane').kubeconfigPath, runsPath(platform));
		return async () => {
			runs.stop();
			await sender.close();
		};
	});

	const ended = (deployment: string, phases: readonly string[]) =>
		eventually(
			() => requestsAbout(platform, deployment),
			(all) => expect(all.map(({ status }) => status.overallPhase)).toEqual(phases),
		);

	it('is left alone for its cooldown, and then repaired again', async () => {
		await platform.putPipeline('restart', { seconds: 1 });
		await putWorkflow(platform, 'restart', ['First', 'Second'], { cooldown: `${COOLDOWN_MS / 1000}s` });
		await sender.send({ alertname: 'First', deployment: 'cart' });
		await ended('cart', ['Completed']);
		const [first] = await list(platform, 'workflowexecutions');
		const completedAt = Date.parse(first?.['status'].completionTime);

		await sender.send({ alertname: 'Second', deployment: 'cart' });
		const second = await eventually(
			async () => (await list(platform, 'remediationrequests')).find(({ spec }) => spec.signalName === 'Second'),
			(request) => expect(request?.['status']?.blockReason).toBe('RecentlyRemediated'),
		);
		expect(second?.['status'].overallPhase).toBe('Blocked');
		await eventually(
			() => list(platform, 'remediationrequests'),
			(all) => expect(all.map(({ status }) => status.overallPhase)).toEqual(['Completed', 'Completed']),
		);
		const executions = await list(platform, 'workflowexecutions');
		expect(executions).toHaveLength(2);
		const starts = executions.map(({ status }) => Date.parse(status.startTime)).toSorted((a, b) => a - b);
		// Times in a status are whole seconds.
		expect((starts[1] ?? 0) - completedAt).toBeGreaterThanOrEqual(COOLDOWN_MS - 1000);
	});

	it('whose WorkflowExecution is deleted while it runs is free at once, and its run is gone', async () => {
		await platform.putPipeline('endless', { seconds: 600 });
		await putWorkflow(platform, 'endless', ['Endless']);
		await sender.send({ alertname: 'Endless', deployment: 'search' });
		const [execution] = await eventually(
			async () => (await list(platform, 'workflowexecutions')).filter(isAbout('search')),
			(all) => expect(all.map(({ status }) => status?.phase)).toEqual(['Running']),
		);
		await platform.api.call('DELETE', `${objectsPath(platform, 'workflowexecutions')}/${execution?.['metadata'].name}`);
		await eventually(
			() => listAt(platform, runsPath(platform)),
			(all) =>
				expect(all.map(({ metadata }) => metadata.name)).not.toContain(execution?.['status'].pipelineRunRef.name),
		);
		await eventually(
			async () => (await list(platform, 'workflowexecutions')).filter(isAbout('search')),
			(all) => expect(all.filter(({ metadata }) => metadata.uid === execution?.['metadata'].uid)).toEqual([]),
		);
		await platform.putPipeline('quick', { seconds: 1 });
		await putWorkflow(platform, 'quick', ['Next']);
		await sender.send({ alertname: 'Next', deployment: 'search' });
		await eventually(
			async () =>
				(await list(platform, 'remediationrequests')).filter(
					({ spec }) => spec.signalName === 'Next' && spec.targetResource.name === 'search',
				),
			(all) => expect(all.map(({ status }) => status.overallPhase)).toEqual(['Completed']),
		);
		expect(runs.changes.length).toBeGreaterThan(0);
	});
});

function isAbout(deployment: string): (execution: KubeObject) => boolean {
	return ({ spec }) => spec.targetResource === `shop/Deployment/${deployment}`;
}
