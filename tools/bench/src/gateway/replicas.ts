// More replicas, and one that is further away: who is served, how soon, at how many calls, and whether all is counted.
import { setTimeout as delay } from 'node:timers/promises';
import { requestsPath } from '../signal-request.ts';
import type { Arena, Gateways } from './arena.ts';
import { isForSignals } from './call-count.ts';
import { settledCounts } from './settled-counts.ts';
import { freshDeployment } from './signal-load.ts';
import { percentile } from './statistics.ts';
import { isTaken } from './storm.ts';

export type ReplicasFigures = {
	readonly sent: number;
	readonly notServed: number;
	/** Status → answers, of those that were not. */
	readonly refusals: Readonly<Record<number, number>>;
	/** Of the replica that serves the smallest share of its callers. */
	readonly worstShare: number;
	readonly callsPerSignal: number;
	readonly p50: number;
	readonly p99: number;
	/** Answered as taken, and not in the total of any request. */
	readonly uncounted: number;
	/** The other way round: the sender was asked to send again. */
	readonly countedUnserved: number;
	readonly requestsCreated: number;
	/** Requests whose readable total was still behind 3 s later. */
	readonly unsettled: number;
};
export type ReplicasLoad = {
	readonly incidents: number;
	readonly callersPerReplica: number;
	readonly forMs: number;
};

/** The log is written after the answer, and locks are released after it. */
const LOGGED_MS = 700;

/** All requests of the namespace are removed before. */
export async function measureReplicas(
	arena: Arena,
	gateways: Gateways,
	{ incidents, callersPerReplica, forMs }: ReplicasLoad,
): Promise<ReplicasFigures> {
	const { namespace, userAgent, load } = gateways;
	await arena.api.call('DELETE', requestsPath(namespace));
	await delay(LOGGED_MS);
	const deployments = Array.from({ length: incidents }, () => freshDeployment('incident'));
	let signals = 0;
	const mark = arena.auditLog.mark();
	const byReplica = await load.closedLoop(callersPerReplica, forMs, () => deployments[signals++ % incidents]!);
	const { totals, unsettled } = await settledCounts(arena.api, requestsPath(namespace));
	await delay(LOGGED_MS);
	const calls = arena.auditLog.calls(mark, { userAgent, namespace }).filter(isForSignals);

	const answers = byReplica.flat();
	const taken = answers.filter(({ status }) => isTaken(status)).length;
	const counted = totals.reduce((sum, count) => sum + count, 0);
	const times = answers.map(({ ms }) => ms);
	return {
		sent: answers.length,
		notServed: answers.length - taken,
		refusals: countBy(answers.map(({ status }) => status).filter((status) => !isTaken(status))),
		worstShare: Math.min(...byReplica.map((each) => each.filter(({ status }) => isTaken(status)).length / each.length)),
		callsPerSignal: calls.length / taken,
		p50: percentile(times, 0.5),
		p99: percentile(times, 0.99),
		uncounted: Math.max(0, taken - counted),
		countedUnserved: Math.max(0, counted - taken),
		requestsCreated: totals.length,
		unsettled,
	};
}

export function describeReplicas(figures: ReplicasFigures): string {
	const { sent, notServed, refusals, uncounted, countedUnserved, unsettled } = figures;
	const share = (of: number) => `${(100 * of).toFixed(of === 1 ? 0 : 1)} %`;
	return [
		`${share((sent - notServed) / sent)} of ${sent} taken (worst replica ${share(figures.worstShare)})`,
		...Object.entries(refusals).map(([status, times]) => `${times} × ${status}`),
		`${figures.callsPerSignal.toFixed(3)} calls per signal`,
		`p50 ${Math.round(figures.p50)} ms, p99 ${Math.round(figures.p99)} ms`,
		`${figures.requestsCreated} requests`,
		`${uncounted} taken but not counted, ${countedUnserved} counted but not served, ${unsettled} totals behind`,
	].join(', ');
}

function countBy(statuses: readonly number[]): Record<number, number> {
	const counts: Record<number, number> = {};
	for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}
