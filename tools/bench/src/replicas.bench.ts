// 1 to 10 gateways under callers that never pause, on one incident and on many; and three of which one is further away.
import { Arena } from './gateway/arena.ts';
import { describeReplicas, measureReplicas, type ReplicasFigures } from './gateway/replicas.ts';
import type { Result } from './result.ts';

type Report = (text: string) => void;

const REPLICAS = [1, 3, 6, 10];
const LOADS = { hot: 1, many: 300 } as const;
const CALLERS_PER_REPLICA = 50;
const FOR_MS = 6000;
const WARM_UP_MS = 1500;
/** Fewer callers make shorter rounds: a distance of 5 ms is then a large part of one. */
const FAR = [
	{ ms: 5, callersPerReplica: 10 },
	{ ms: 50, callersPerReplica: 50 },
] as const;

export async function benchReplicas(report: Report): Promise<Result[]> {
	const arena = await Arena.open(report);
	try {
		const results: Result[] = [];
		for (const count of REPLICAS) {
			const gateways = await arena.startGateways(`replicas-${count}`, count);
			const measure = (incidents: number, forMs: number) =>
				measureReplicas(arena, gateways, { incidents, callersPerReplica: CALLERS_PER_REPLICA, forMs });
			await measure(LOADS.many, WARM_UP_MS);
			for (const [name, incidents] of Object.entries(LOADS)) {
				const figures = await measure(incidents, FOR_MS);
				report(`${count} replicas, ${incidents} incidents: ${describeReplicas(figures)}`);
				results.push(...resultsOf(`${name}${count}`, figures, name === 'hot'));
			}
			await gateways.stop();
		}
		for (const { ms, callersPerReplica } of FAR) {
			const gateways = await arena.startGateways(`far-${ms}`, 3, { lastIsFartherMs: ms });
			const figures = await measureReplicas(arena, gateways, { incidents: 1, callersPerReplica, forMs: FOR_MS });
			report(`3 replicas, one ${ms} ms further, 1 incident: ${describeReplicas(figures)}`);
			results.push(...resultsOf(`far${ms}`, figures, true));
			await gateways.stop();
		}
		return results;
	} finally {
		await arena.close();
	}
}

/** On one incident all callers are served, and soon; many new incidents at once take what the machine gives. */
function resultsOf(name: string, figures: ReplicasFigures, allServed: boolean): Result[] {
	const { notServed, callsPerSignal, p50, p99, uncounted, unsettled } = figures;
	return [
		{ name: `${name}.notServed`, value: notServed, unit: '', ...(allServed ? { target: { exactly: 0 } } : {}) },
		{ name: `${name}.uncounted`, value: uncounted, unit: '', target: { exactly: 0 } },
		{ name: `${name}.unsettled`, value: unsettled, unit: '', ...(allServed ? { target: { exactly: 0 } } : {}) },
		{ name: `${name}.callsPerSignal`, value: callsPerSignal, unit: '' },
		{ name: `${name}.p50`, value: p50, unit: 'ms' },
		{ name: `${name}.p99`, value: p99, unit: 'ms', ...(allServed ? { target: { atMost: 2000 } } : {}) },
	];
}
