// Several replicas of one app, each with a pod name of its own and the rights of its app.
import type { KubeApi } from '@kubernaut/control-plane';
import { type AppName, type AppProcess, appKubeconfig, startApp } from '@kubernaut/testkit';
import { inject } from 'vitest';
import { TIMEOUTS } from './timeouts.ts';

type Replicas = { replicas: AppProcess[]; kubeconfig: string };

export async function startReplicas(api: KubeApi, app: AppName, namespace: string, count: number): Promise<Replicas> {
	const kubeconfig = await appKubeconfig(api, app, namespace, inject('controlPlane').kubeconfigPath);
	const replicas = await Promise.all(
		Array.from({ length: count }, (_, i) => startApp(app, { kubeconfig, namespace, podName: `${app}-${i}` })),
	);
	await Promise.all(replicas.map((replica) => replica.waitUntilReady(TIMEOUTS.allReplicasReadyMs)));
	return { replicas, kubeconfig };
}

export async function isReady(replica: AppProcess): Promise<boolean> {
	const answer = await fetch(`${replica.healthUrl}/readyz`).catch(() => undefined);
	return answer?.status === 200;
}
