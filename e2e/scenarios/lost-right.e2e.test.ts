// A right that is taken away while the platform works: the replicas say which one is missing and are not ready; when it is
// back they recover by themselves.
import { type KubeObject, MERGE_PATCH } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { putWorkflow, requestsAbout } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

describe('an executor that loses the right to its PipelineRuns', () => {
	let platform: Platform;
	let sender: Sender;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway', 'orchestrator', 'workflow-executor'] });
		sender = await openSender(platform);
		await platform.putPipeline('restart', { seconds: 1 });
		await putWorkflow(platform, 'restart', ['KubePodCrashLooping']);
		return () => sender.close();
	});

	it('is not ready and names the rule, and does the work when it has the right again', async () => {
		const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${platform.executionNamespace}/roles/workflow-executor`;
		const { rules } = await platform.api.call('GET', path);
		const isOfRuns = ({ resources }: KubeObject) => (resources as string[]).includes('pipelineruns');
		const grant = (granted: unknown) =>
			platform.api.call('PATCH', path, { body: { rules: granted }, contentType: MERGE_PATCH });
		try {
			await grant((rules as KubeObject[]).filter((rule) => !isOfRuns(rule)));
			await sender.send({ alertname: 'KubePodCrashLooping', deployment: 'cart' });
			for (const replica of await platform.replicas('workflow-executor'))
				await eventually(
					() => replica.readiness(),
					({ status, text }) => {
						expect(status).toBe(503);
						expect(text).toContain('pipelineruns');
					},
				);
		} finally {
			await grant(rules);
		}
		await eventually(
			() => requestsAbout(platform, 'cart'),
			(all) => expect(all.map(({ status }) => status.overallPhase)).toEqual(['Completed']),
		);
		for (const replica of await platform.replicas('workflow-executor'))
			await eventually(
				() => replica.isReady(),
				(ready) => expect(ready).toBe(true),
				TIMEOUTS.readyAgainMs,
			);
	});
});
