// Orchestrator replicas in a namespace of their own, with a workflow that answers the bench's signals.
import type { KubeApi } from '@kubernaut/control-plane';
import { type AppProcess, startApp } from '@kubernaut/testkit/app-process';
import { applyObject } from '@kubernaut/testkit/apply';
import { appKubeconfig } from '@kubernaut/testkit/service-account';
import { type Identity, readIdentity } from '../gateway/identity.ts';

const USER_AGENT = 'kubernaut-orchestrator';

export type Orchestra = {
	readonly namespace: string;
	readonly identity: Identity;
	readonly userAgent: string;
	start(replicas: number): Promise<void>;
	/** The largest replica's, in MB, from its own metrics. */
	residentMb(): Promise<number>;
	/** The longest pause of an event loop since this was last asked for. */
	longestPauseMs(): Promise<number>;
	stop(): Promise<void>;
};

export async function openOrchestra(api: KubeApi, namespace: string, adminKubeconfig: string): Promise<Orchestra> {
	await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
	const kubeconfig = await appKubeconfig(api, 'orchestrator', namespace, adminKubeconfig);
	await applyObject(api, {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationWorkflow',
		metadata: { name: 'restart', namespace },
		spec: {
			match: { signalNames: ['KubeDeploymentReplicasMismatch'] },
			pipelineRef: { name: 'restart' },
			parameters: { TARGET: '{{ target }}' },
		},
	});
	let running: AppProcess[] = [];
	/** The largest replica's value of a metric. */
	async function largest(name: string): Promise<number> {
		const values = running.map(async ({ metricsUrl }) => {
			const metrics = await (await fetch(metricsUrl)).text();
			return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1] ?? Number.NaN);
		});
		return Math.max(...(await Promise.all(values)));
	}
	return {
		namespace,
		identity: readIdentity(kubeconfig),
		userAgent: USER_AGENT,
		async start(replicas) {
			const pods = Array.from({ length: replicas }, (_, i) => `${namespace}-${i}`);
			running = await Promise.all(
				pods.map((podName) => startApp('orchestrator', { kubeconfig, namespace, podName, env: { LOG_LEVEL: 'warn' } })),
			);
			for (const replica of running) await replica.waitUntilReady(60_000);
		},
		residentMb: async () => (await largest('process_resident_memory_bytes')) / 1_000_000,
		longestPauseMs: async () => (await largest('nodejs_eventloop_lag_max_seconds')) * 1000,
		async stop() {
			await Promise.all(running.map((replica) => replica.stop()));
			running = [];
		},
	};
}
