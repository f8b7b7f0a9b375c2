// An execution that announces a successor and is being deleted waits until a later one of its target is there: a create of the
// successor may be under way, and without its predecessor it would begin a second chain. Such a create happens under the
// orchestrator's Lease, so it cannot land long after its announcement. After that, waiting has no end: the successor was
// deleted, or its request was, as `kubectl delete rr,wfe --all` does.
//
// Not covered: an orchestrator whose Lease lasts longer than this and that stands still before the create. The PipelineRun of
// the target then still keeps two executions from running at once.
import type { Execution } from '../objects/execution.ts';

/** The orchestrator's Lease (30 s), and the longest time for which an API server works on a call (60 s). */
export const SUCCESSOR_WITHIN_MS = 90_000;

export function mayStillBeMade(
	{ successor, deletedAt }: Pick<Execution, 'successor' | 'deletedAt'>,
	now: number,
): boolean {
	return successor !== undefined && (deletedAt === undefined || now - Date.parse(deletedAt) < SUCCESSOR_WITHIN_MS);
}
