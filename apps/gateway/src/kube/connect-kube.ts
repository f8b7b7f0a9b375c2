// The connection of an app to its API server: the client, the server's clock, and whether the server answers and serves our
// kinds.
import { createBackoff } from '@kubernaut/backoff';
import { APP } from '../app.ts';
import { type Clock, SYSTEM_CLOCK } from '../process/clock.ts';
import type { Check } from '../process/health-server.ts';
import type { Log } from '../process/log.ts';
import { followApiReadiness } from './api-readiness.ts';
import { createKubeClient, type KubeClient, type KubeObserver, kubeConfigProblem, loadKubeConfig } from './kube.ts';
import { ServerClock } from './server-clock.ts';

export type KubeConnection = {
	readonly kube: KubeClient;
	readonly server: string;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
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
	const { now, setTimer } = SYSTEM_CLOCK;
	const serverClock = new ServerClock(now, SYSTEM_CLOCK.wallTime);
	const kubeConfig = loadKubeConfig(config.kubeconfig);
	const kube = createKubeClient(kubeConfig, config.requestTimeoutMs, metrics.kube, now, serverClock);
	const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 });
	const readiness = followApiReadiness(kube, APP.kinds, backoff, ({ name, ok, message }) =>
		log[ok ? 'info' : 'warn']({ check: name, reason: message }, ok ? 'ready' : 'not ready'),
	);
	return {
		kube,
		server: kube.server,
		clock: { now, setTimer, wallTime: () => serverClock.wallTime() },
		check: () => timeKnown(readiness.check(), serverClock),
		async close() {
			readiness.stop();
			await kube.close();
		},
	};
}

/** The API server may answer, and its time still not be known: a proxy in between takes the Date away. */
function timeKnown(check: Check, clock: ServerClock): Check {
	const problem = clock.problem();
	return !check.ok || problem === undefined ? check : { ...check, ok: false, message: problem };
}
