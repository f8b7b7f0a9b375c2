// Which of the orchestrators' calls were for which target, by the names of the objects in the API server's audit log.
// What is for no target is left out: lists and watches, and the Leases by which replicas know each other.
import type { ApiCall } from '@kubernaut/control-plane';
import type { History } from './history.ts';

export type TargetCalls = {
	readonly byTarget: ReadonlyMap<string, number>;
	/** "create leases", the most frequent first. */
	readonly byKind: readonly (readonly [what: string, times: number])[];
};

type Named = Pick<ApiCall, 'verb' | 'resource' | 'name'>;

export function targetCalls(
	calls: readonly Named[],
	history: Pick<History, 'requests' | 'executions' | 'targetOfLease'>,
): TargetCalls {
	const byTarget = new Map<string, number>();
	const byKind = new Map<string, number>();
	for (const { verb, resource, name } of calls) {
		const target = history.targetOfLease(name) ?? targetOfObject(name, history);
		if (target === undefined || verb === 'list' || verb === 'watch') continue;
		byTarget.set(target, (byTarget.get(target) ?? 0) + 1);
		byKind.set(`${verb} ${resource}`, (byKind.get(`${verb} ${resource}`) ?? 0) + 1);
	}
	return { byTarget, byKind: [...byKind].toSorted(([, a], [, b]) => b - a) };
}

/** Events and NotificationRequests begin with the name of the request that they are about. */
function targetOfObject(name: string, { requests, executions }: Pick<History, 'requests' | 'executions'>) {
	const execution = executions.find((candidate) => candidate.name === name);
	if (execution !== undefined) return execution.target;
	return requests.find(
		(request) =>
			name === request.name || (/^[.-]/.test(name.slice(request.name.length)) && name.startsWith(request.name)),
	)?.target;
}
