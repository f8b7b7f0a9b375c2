// Which calls the API server answered for the signals of a stretch of the run, by its own audit log.
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiCall, AuditLog } from '@kubernaut/control-plane';

/** Locks are released after the answer, and the log is written after that; health is asked for more seldom. */
const SETTLE_MS = 700;

/**
 * In the replicas' namespace, where everything about signals happens. What runs on its own is left out: watches, and
 * the lists of Leases that refresh them. A list of requests is counted: no signal may need one.
 */
export function isForSignals({ verb, resource }: Pick<ApiCall, 'verb' | 'resource'>): boolean {
	return verb !== 'watch' && !(verb === 'list' && resource === 'leases');
}

export async function callsDuring<T>(
	log: AuditLog,
	{
		userAgent,
		namespace,
		alsoIn,
	}: { readonly userAgent: string; readonly namespace: string; readonly alsoIn?: string | undefined },
	run: () => Promise<T>,
): Promise<{ value: T; calls: ApiCall[] }> {
	await quiet(log);
	const mark = log.mark();
	const value = await run();
	await quiet(log);
	const namespaces = alsoIn === undefined ? [namespace] : [namespace, alsoIn];
	const calls = namespaces.flatMap((each) => log.calls(mark, { userAgent, namespace: each }));
	return { value, calls: calls.filter(isForSignals) };
}

/** Until nothing was asked for a while: what came before may still be letting go of its locks. */
async function quiet(log: AuditLog): Promise<void> {
	for (let before = -1; before !== log.mark(); ) {
		before = log.mark();
		await delay(SETTLE_MS);
	}
}
