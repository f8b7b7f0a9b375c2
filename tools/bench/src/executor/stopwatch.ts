// From the creation of a WorkflowExecution to the moment at which its PipelineRun is seen: the same clock for all contestants,
// outside of them.
import type { KubeApi } from '@kubernaut/control-plane';
import { watchAdded } from '../orchestrator/object-watch.ts';
import { executionFor, executionsPath, runsPath } from './executions.ts';
import type { Executors } from './executors.ts';

export type Stopwatch = {
	/** In ms. */
	execute(target: string): Promise<number>;
	close(): Promise<void>;
};

const PATIENCE_MS = 30_000;

export async function openStopwatch(api: KubeApi, { identity, namespace, workflows }: Executors): Promise<Stopwatch> {
	const seen = new Map<string, (at: number) => void>();
	const watch = await watchAdded(identity, runsPath(workflows), ({ metadata }) => {
		const { labels } = metadata as unknown as { labels: Record<string, string> };
		seen.get(labels['kubernaut.ai/workflow-execution'] ?? '')?.(performance.now());
	});
	return {
		async execute(target) {
			const body = executionFor(target);
			const { name } = body.metadata;
			const appeared = new Promise<number>((resolve, reject) => {
				const timer = setTimeout(() => reject(new Error(`${name} got no PipelineRun`)), PATIENCE_MS);
				seen.set(name, (at) => {
					clearTimeout(timer);
					resolve(at);
				});
			});
			const startedAt = performance.now();
			await api.call('POST', executionsPath(namespace), { body });
			const ms = (await appeared) - startedAt;
			seen.delete(name);
			return ms;
		},
		close: () => watch.stop(),
	};
}
