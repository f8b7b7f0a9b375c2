// Whole remediations in a burst, from the request to the notification, with an executor that completes each at once: what
// they cost with three replicas against one.
import { freshDeployment } from '../gateway/signal-load.ts';
import type { Result } from '../result.ts';
import { watchAdded } from './object-watch.ts';
import { callsOf, createRequest, type Open, type Report, type Stage, untilRequests } from './stage.ts';
import { executionsPath } from './stopwatch.ts';

const BURST = 200;

export async function measureFinishing(stage: Stage, open: Open, report: Report): Promise<Result[]> {
	const calls: number[] = [];
	for (const replicas of [1, 3]) {
		const orchestra = await open(`finishing-${replicas}`, replicas);
		const { namespace, identity } = orchestra;
		const executor = await watchAdded(identity, executionsPath(namespace), ({ metadata }) => {
			const status = {
				phase: 'Completed',
				pipelineRunRef: { name: 'wfe-0123456789abcdef', uid: 'bench' },
				completionTime: new Date().toISOString(),
			};
			void stage.api.call('PATCH', `${executionsPath(namespace)}/${metadata.name}/status`, {
				body: { status },
				contentType: 'application/merge-patch+json',
			});
		});
		const counted = await callsOf(stage.auditLog, orchestra, async () => {
			await Promise.all(Array.from({ length: BURST }, () => createRequest(stage, namespace, freshDeployment('ends'))));
			await untilRequests(stage, namespace, (all) =>
				all.every(
					({ overallPhase, notificationRequestRefs = [] }) =>
						overallPhase === 'Completed' && notificationRequestRefs.length === 1,
				),
			);
		});
		await executor.stop();
		await orchestra.stop();
		calls.push(counted.calls);
		report(`${BURST} to the end with ${replicas} replicas: ${(counted.calls / BURST).toFixed(2)} calls each`);
	}
	const [one = Number.NaN, three = Number.NaN] = calls;
	return [
		{ name: 'finish.callsRatio', value: three / one, unit: '×', target: { atMost: 1.2 } },
		{ name: 'finish.calls', value: three / BURST, unit: 'per remediation' },
	];
}
