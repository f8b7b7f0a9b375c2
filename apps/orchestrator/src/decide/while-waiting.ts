// Whether a run ended while a request waited, or before the request came.
import { type Execution, endOf } from '../objects/execution.ts';
import type { Remediation } from '../objects/remediation.ts';

/** Versions have an order that no clock can change; times are compared only where they say nothing. */
export function endedWhileWaiting(request: Remediation, execution: Execution): boolean {
	// It had ended when the request was created.
	const { createdVersion } = request;
	if (createdVersion !== undefined && BigInt(execution.resourceVersion) < BigInt(createdVersion)) return false;
	// That was decided before, and stands in the status: the request waits for the cooldown after this very run.
	if (request.block?.reason === 'RecentlyRemediated' && request.block.holder?.uid === execution.uid) return false;
	// The request was decided on under the lock of the target before the execution was made under it.
	const { fencingToken: decided } = request;
	if (decided !== undefined && execution.fencingToken !== undefined && decided < execution.fencingToken) return true;
	return endOf(execution) > Math.max(Date.parse(request.firingTime), Date.parse(request.receivedTime));
}
