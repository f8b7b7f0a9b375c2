// Executor replicas in a namespace of their own, with an execution namespace, and what they ask of the API server.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCall, AuditLog, KubeApi } from '@kubernaut/control-plane';
import { type AppProcess, startApp } from '@kubernaut/testkit/app-process';
import { applyObject } from '@kubernaut/testkit/apply';
import { appKubeconfig, executionNamespaceOf } from '@kubernaut/testkit/service-account';
import { type Identity, readIdentity } from '../gateway/identity.ts';

export type Report = (text: string) => void;
export type Stage = { readonly api: KubeApi; readonly auditLog: AuditLog; readonly adminKubeconfig: string };
export type Executors = {
	readonly namespace: string;
	readonly workflows: string;
	readonly identity: Identity;
	start(replicas: number): Promise<void>;
	/** The largest replica's, in MB, from its own metrics. */
	residentMb(): Promise<number>;
	stop(): Promise<void>;
};

const USER_AGENT = 'kubernaut-workflow-executor';
const READY_MS = 60_000;
// The audit log is written after the answer, and Events after the decision.
const SETTLE_MS = 1500;

export async function openExecutors({ api, adminKubeconfig }: Stage, namespace: string): Promise<Executors> {
	await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
	const kubeconfig = await appKubeconfig(api, 'workflow-executor', namespace, adminKubeconfig);
	let running: AppProcess[] = [];
	return {
		namespace,
		workflows: executionNamespaceOf(namespace),
		identity: readIdentity(kubeconfig),
		async start(replicas) {
			const pods = Array.from({ length: replicas }, (_, i) => `${namespace}-${i}`);
			const env = { LOG_LEVEL: 'warn' };
			running = await Promise.all(
				pods.map((podName) => startApp('workflow-executor', { kubeconfig, namespace, podName, env })),
			);
			for (const replica of running) await replica.waitUntilReady(READY_MS);
		},
		async residentMb() {
			const values = running.map(async ({ metricsUrl }) => {
				const metrics = await (await fetch(metricsUrl)).text();
				return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1] ?? Number.NaN);
			});
			return Math.max(...(await Promise.all(values))) / 1_000_000;
		},
		async stop() {
			await Promise.all(running.map((replica) => replica.stop()));
			running = [];
		},
	};
}

/** All replicas', by the API server's own log. */
export async function callsOf<T>(log: AuditLog, executors: Executors, run: () => Promise<T>) {
	const mark = log.mark();
	const value = await run();
	await delay(SETTLE_MS);
	const calls = callsSince(log, mark, executors);
	return { value, calls: calls.length, kinds: countKinds(calls) };
}

/** Watches and the Leases of presence are there without any execution: they cost by the minute, not by the execution. */
function callsSince(log: AuditLog, mark: number, { namespace, workflows }: Executors): ApiCall[] {
	const places = [namespace, workflows];
	return log
		.calls(mark, { userAgent: USER_AGENT })
		.filter((call) => places.includes(call.namespace) && call.verb !== 'watch' && call.resource !== 'leases');
}

/** As `2 create pipelineruns, 1 get ...`. */
function countKinds(calls: readonly ApiCall[]): string {
	const counts = new Map<string, number>();
	for (const { verb, resource } of calls)
		counts.set(`${verb} ${resource}`, (counts.get(`${verb} ${resource}`) ?? 0) + 1);
	return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
