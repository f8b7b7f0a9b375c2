// Different signals about one target: at no moment two active WorkflowExecutions, or two PipelineRuns, of it. Different
// targets are repaired at the same time.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { type History, mostAtOnce, recordHistory } from '../harness/judging/history.ts';
import { describeRequest, hasEnded, list, objectsPath, putWorkflow, runsPath } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

const TARGETS = ['cart', 'search', 'checkout'];
const SIGNALS = ['PodCrashLooping', 'PodNotReady', 'ErrorRateHigh'];
const isActive = ({ status }: KubeObject) => !['Completed', 'Failed', 'Skipped'].includes(status?.phase);
const isRunning = ({ status }: KubeObject) => !status?.completionTime;

describe('signals that meet on targets', () => {
	let platform: Platform;
	let sender: Sender;
	let executions: History;
	let runs: History;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway', 'orchestrator', 'workflow-executor'] });
		sender = await openSender(platform);
		const { kubeconfigPath } = inject('controlPlane');
		executions = await recordHistory(kubeconfigPath, objectsPath(platform, 'workflowexecutions'));
		runs = await recordHistory(kubeconfigPath, runsPath(platform));
		await platform.putPipeline('restart', { seconds: 3 });
		await putWorkflow(platform, 'restart', SIGNALS, { cooldown: '1s' });
		return async () => {
			executions.stop();
			runs.stop();
			await sender.close();
		};
	});

	it('each request is decided, one repair at a time on each target, targets side by side', async () => {
		const signals = TARGETS.flatMap((deployment) => SIGNALS.map((alertname) => ({ alertname, deployment })));
		const sent = await Promise.all(signals.map((signal) => sender.send(signal)));
		// One whose answer came too late was sent again, and is known by then.
		expect(sent.filter(({ status, tries }) => status !== 201 && (status !== 202 || tries === 1))).toEqual([]);
		const requests = await eventually(
			() => list(platform, 'remediationrequests'),
			(all) => {
				expect(all).toHaveLength(signals.length);
				expect(all.filter((request) => !hasEnded(request)).map(describeRequest)).toEqual([]);
			},
			TIMEOUTS.allRepairsMs,
		);
		for (const target of TARGETS) {
			const about = requests.filter(({ spec }) => spec.targetResource.name === target);
			expect(about.some(({ status }) => status.overallPhase === 'Completed')).toBe(true);
		}
		const perTarget = mostAtOnce(executions.changes, isActive, ({ spec }) => spec.targetResource);
		expect([...perTarget.keys()].toSorted()).toEqual(TARGETS.map((name) => `shop/Deployment/${name}`).toSorted());
		expect(Math.max(...perTarget.values())).toBe(1);
		const runsPerTarget = mostAtOnce(runs.changes, isRunning, ({ metadata }) => metadata.name);
		expect(Math.max(...runsPerTarget.values())).toBe(1);
		expect(runsPerTarget.size).toBe(TARGETS.length); // the run's name is the target's lock
		const together = mostAtOnce(runs.changes, isRunning, () => 'all').get('all');
		expect(together).toBeGreaterThanOrEqual(2);
	});
});
