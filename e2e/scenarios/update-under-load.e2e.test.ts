// A rolling update of every app from the version before this one, while signals arrive and targets are repaired: no signal is
// lost or counted too seldom, each incident is one request, one execution, one run and one message.
import type { KubeObject } from '@kubernaut/control-plane';
import { APPS } from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type History, recordHistory } from '../harness/judging/history.ts';
import {
	countOf,
	describeRequest,
	list,
	objectsPath,
	putWorkflow,
	requestsAbout,
	runsPath,
} from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender, startLoad } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';
import type { Signal } from '../harness/webhook.ts';

const COUNTERS = 6;
const INCIDENTS = 6;
/** Of repairs: the next one is asked for when the last is over, so that the machine is not the limit. */
const REPAIRERS = 1;

const targetOf = ({ spec }: KubeObject) => spec.targetResource.name as string;

describe('a rolling update of the whole platform', () => {
	let platform: Platform;
	let sender: Sender;
	beforeAll(async () => {
		platform = await openPlatform({ apps: APPS });
		sender = await openSender(platform);
		return () => sender.close();
	});

	it('loses nothing and repeats nothing', async () => {
		const { versions } = platform;
		if (versions === undefined) throw new Error('there is no version before this one: npm run e2e leaves this out');
		await versions.toPrevious();
		await platform.putPipeline('restart', { seconds: 1 });
		await putWorkflow(platform, 'restart', ['Repaired'], { cooldown: '1h' });
		const executions = await record(objectsPath(platform, 'workflowexecutions'));
		const runs = await record(runsPath(platform));

		const counted = startLoad(sender, COUNTERS, (count) => ({
			alertname: 'Counted',
			deployment: `counted-${count % INCIDENTS}`,
		}));
		const next = (count: number) => ({ alertname: 'Repaired', deployment: `repaired-${count}` });
		const repaired = startLoad(sender, REPAIRERS, next, untilCompleted);
		try {
			await versions.toCurrent();
			// Of processes, the update is over in seconds: one that was asked for by the version before ends under this one, and
			// another one after it.
			await eventually(
				async () => repaired.sent.length,
				(count) => expect(count).toBeGreaterThan(1),
			);
		} finally {
			await Promise.all([counted.stop(), repaired.stop()]);
		}

		for (const { sent } of [counted, repaired])
			expect(sent.filter(({ status }) => status !== 201 && status !== 202)).toEqual([]);
		console.info(
			`from ${versions.previousCommit.slice(0, 7)}: ${counted.sent.length} signals counted, ${repaired.sent.length} targets repaired`,
		);

		// A sender that got no answer sends again, and its signal may be counted twice; never less than once.
		const resent = counted.sent.reduce((sum, { tries }) => sum + tries - 1, 0);
		await eventually(
			() => requestsOf('Counted'),
			(requests) => {
				expect(requests.map(targetOf).toSorted()).toEqual(Array.from({ length: INCIDENTS }, (_, i) => `counted-${i}`));
				expect(countOf(requests)).toBeGreaterThanOrEqual(counted.sent.length);
				expect(countOf(requests)).toBeLessThanOrEqual(counted.sent.length + resent);
			},
			TIMEOUTS.settledMs,
		);

		const targets = repaired.sent.map((_, i) => `repaired-${i}`).toSorted();
		const requests = await requestsOf('Repaired');
		expect(requests.map(targetOf).toSorted()).toEqual(targets);
		expect(requests.filter(({ status }) => status.overallPhase !== 'Completed').map(describeRequest)).toEqual([]);
		const made = executions.changes.filter(({ type }) => type === 'ADDED').map(({ object }) => object);
		expect(made.map(({ spec }) => spec.targetResource as string).toSorted()).toEqual(
			targets.map((name) => `shop/Deployment/${name}`),
		);
		expect(runs.changes.filter(({ type }) => type === 'ADDED')).toHaveLength(targets.length);

		const notifications = await eventually(
			() => list(platform, 'notificationrequests'),
			(all) => expect(all.filter(({ status }) => status?.phase !== 'Sent')).toEqual([]),
			TIMEOUTS.allMessagesMs,
		);
		const about = notifications.map(({ spec }) => spec.remediationRequestRef?.name as string);
		expect(new Set(about).size).toBe(about.length);
		const names = notifications.map(({ metadata }) => metadata.name as string).toSorted();
		const { slack, mail, webhook } = await platform.receivers.received();
		for (const arrivals of [slack, mail, webhook]) expect(arrivals.map(({ name }) => name).toSorted()).toEqual(names);
	});

	async function untilCompleted({ deployment }: Signal): Promise<void> {
		await eventually(
			() => requestsAbout(platform, deployment),
			(all) => expect(all.map(({ status }) => status?.overallPhase)).toEqual(['Completed']),
		);
	}

	async function record(path: string): Promise<History> {
		const history = await recordHistory(inject('controlPlane').kubeconfigPath, path);
		onTestFinished(() => history.stop());
		return history;
	}

	async function requestsOf(signalName: string): Promise<KubeObject[]> {
		return (await list(platform, 'remediationrequests')).filter(({ spec }) => spec.signalName === signalName);
	}
});
