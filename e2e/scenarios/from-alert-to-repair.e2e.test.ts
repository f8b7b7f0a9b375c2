// The whole path: a real Alertmanager fires, the gateway stores one request, the orchestrator asks for one execution, the
// executor has Tekton run it, the target is well again, the request is Completed, and one message reaches each receiver.
// In a cluster the pipeline's pod restarts a Deployment that only a restart can heal. On simulated nodes nothing is repaired;
// everything else is judged alike.
import { applyObject } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { makeIllDeployment, restartPipeline, untilWell } from '../harness/ill-deployment.ts';
import { list, putWorkflow, requestsAbout } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { NAMESPACE_OF_TARGETS } from '../harness/webhook.ts';

const ALERT = 'KubeDeploymentReplicasMismatch';
const TARGET = 'cart';

describe('an alert of a real Alertmanager', () => {
	let platform: Platform;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway', 'orchestrator', 'workflow-executor', 'notification'] });
		if (platform.runsPods) {
			await makeIllDeployment(platform, TARGET);
			await applyObject(platform.api, restartPipeline(platform, 'restart'));
		} else await platform.putPipeline('restart', {});
		await putWorkflow(platform, 'restart', [ALERT]);
	});

	it('is repaired once, and reported once on each channel', async () => {
		const labels = { alertname: ALERT, severity: 'critical', namespace: NAMESPACE_OF_TARGETS, deployment: TARGET };
		await platform.fireAlert(labels);
		const [request] = await eventually(
			() => requestsAbout(platform, TARGET),
			(all) => expect(all.map(({ status }) => status.overallPhase)).toEqual(['Completed']),
		);
		expect(request?.['status'].outcome).toBe('Remediated');
		const executions = await list(platform, 'workflowexecutions');
		expect(executions.map(({ status }) => status.phase)).toEqual(['Completed']);

		await untilWell(platform, TARGET);

		const [notification] = await eventually(
			() => list(platform, 'notificationrequests'),
			(all) => expect(all.map(({ status }) => status?.phase)).toEqual(['Sent']),
		);
		const want = [notification?.['metadata'].name];
		const { slack, mail, webhook } = await platform.receivers.received();
		const names = [slack, mail, webhook].map((arrivals) => arrivals.map(({ name }) => name));
		expect(names).toEqual([want, want, want]);
	});
});
