// What the measurements of the orchestrator share: the API server, its log, and counting what replicas asked of it.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCall, AuditLog, KubeApi } from '@kubernaut/control-plane';
import { alertAbout, fingerprintOf, firstRequestName, requestFor, requestsPath } from '../signal-request.ts';
import type { Orchestra } from './orchestra.ts';

export type Report = (text: string) => void;
export type Stage = { readonly api: KubeApi; readonly auditLog: AuditLog; readonly adminKubeconfig: string };
/** Replicas of their own in a namespace of their own. */
export type Open = (namespace: string, replicas: number) => Promise<Orchestra>;

/** Replicas, as the log knows them. */
type Caller = Pick<Orchestra, 'userAgent' | 'namespace'>;

const SETTLE_MS = 1500;
const POLL_MS = 250;

/** All replicas', by the API server's own log; what runs on its own (lists, watches) is left out. */
export async function callsOf<T>(log: AuditLog, orchestra: Caller, run: () => Promise<T>) {
	const mark = log.mark();
	const value = await run();
	await delay(SETTLE_MS);
	return { value, calls: callsSince(log, mark, orchestra).length };
}

export function callsSince(log: AuditLog, mark: number, { userAgent, namespace }: Caller): ApiCall[] {
	return log.calls(mark, { userAgent, namespace }).filter(({ verb }) => verb !== 'list' && verb !== 'watch');
}

/** Its name. */
export async function createRequest(
	{ api }: Stage,
	namespace: string,
	deployment: string,
	alertname?: string,
): Promise<string> {
	const alert = alertAbout(deployment, alertname);
	const name = firstRequestName(fingerprintOf(alert));
	await api.call('POST', requestsPath(namespace), { body: requestFor(alert, name) });
	return name;
}

export type RequestStatus = {
	readonly overallPhase?: string;
	readonly blockReason?: string;
	readonly notificationRequestRefs?: readonly unknown[];
};

export async function untilRequests(
	{ api }: Stage,
	namespace: string,
	enough: (statuses: readonly RequestStatus[]) => boolean,
	patienceMs = 120_000,
): Promise<void> {
	const givenUpAt = performance.now() + patienceMs;
	for (;;) {
		const { items } = (await api.call('GET', requestsPath(namespace))) as unknown as {
			items: { status?: RequestStatus }[];
		};
		if (enough(items.map(({ status }) => status ?? {}))) return;
		if (performance.now() > givenUpAt) throw new Error(`the requests in ${namespace} did not come to rest`);
		await delay(POLL_MS);
	}
}
