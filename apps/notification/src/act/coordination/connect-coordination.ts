// The connection to the coordination cluster: a client and the clock of its API server. Our kinds need not be there.
import {
	createKubeClient,
	type KubeClient,
	type KubeObserver,
	kubeConfigProblem,
	loadKubeConfig,
} from '../../kube/kube.ts';
import { ServerClock } from '../../kube/server-clock.ts';
import { type Clock, SYSTEM_CLOCK } from '../../process/clock.ts';

export type CoordinationConnection = { readonly kube: KubeClient; readonly clock: Clock; close(): Promise<void> };

export function connectCoordination(
	kubeconfig: string,
	requestTimeoutMs: number,
	observer: KubeObserver,
): CoordinationConnection | { readonly problem: string } {
	const problem = kubeConfigProblem(kubeconfig, process.env);
	if (problem !== undefined) return { problem: problem.replace(/^KUBECONFIG/, 'LOCK_KUBECONFIG') };
	const { now, setTimer } = SYSTEM_CLOCK;
	const serverClock = new ServerClock(now, SYSTEM_CLOCK.wallTime);
	const kube = createKubeClient(loadKubeConfig(kubeconfig), requestTimeoutMs, observer, now, serverClock);
	return {
		kube,
		clock: { now, setTimer, wallTime: () => serverClock.wallTime() },
		close: () => kube.close(),
	};
}
