// The connection of an app to its API server: the client, and whether the server answers and serves our kinds.
import { createBackoff } from '@kubernaut/backoff';
import { APP } from '../app.ts';
import type { Check } from '../process/health-server.ts';
import type { Log } from '../process/log.ts';
import { followApiReadiness } from './api-readiness.ts';
import { createKubeClient, type KubeClient, type KubeObserver, kubeConfigProblem, loadKubeConfig } from './kube.ts';

export type KubeConnection = {
	readonly kube: KubeClient;
	readonly server: string;
	check(): Check;
	close(): Promise<void>;
};

export function connectKube(
	config: { readonly kubeconfig: string | undefined; readonly requestTimeoutMs: number },
	metrics: { readonly kube: KubeObserver },
	log: Log,
): KubeConnection | { readonly problem: string } {
	const problem = kubeConfigProblem(config.kubeconfig, process.env);
	if (problem !== undefined) return { problem };
	const kube = createKubeClient(loadKubeConfig(config.kubeconfig), config.requestTimeoutMs, metrics.kube);
	const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 });
	const readiness = followApiReadiness(kube, APP.kinds, backoff, ({ name, ok, message }) =>
		log[ok ? 'info' : 'warn']({ check: name, reason: message }, ok ? 'ready' : 'not ready'),
	);
	return {
		kube,
		server: kube.server,
		check: readiness.check,
		async close() {
			readiness.stop();
			await kube.close();
		},
	};
}
