// Executions that must not begin any more. The executor claims an execution with a compare-and-set on the same status as a
// withdrawal: of the two, the API server rejects the second. What has begun goes on.
import { type Execution, isOver } from '../objects/execution.ts';
import { isTerminal, type Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import type { RoutingConfig } from './routing-config.ts';

export type Withdrawal = { readonly execution: Execution; readonly message: string };

export function toWithdraw(view: TargetView, config: Pick<RoutingConfig, 'cancelResolved'>): Withdrawal[] {
	const requests = new Map(view.requests.map((request) => [request.uid, request]));
	const withdrawals: Withdrawal[] = [];
	for (const execution of view.executions) {
		if (isOver(execution) || execution.hasRun || execution.deleting) continue;
		const message = reasonToWithdraw(requests.get(execution.requestUid), view, config);
		if (message !== undefined) withdrawals.push({ execution, message });
	}
	return withdrawals;
}

function reasonToWithdraw(
	request: Remediation | undefined,
	view: TargetView,
	{ cancelResolved }: Pick<RoutingConfig, 'cancelResolved'>,
): string | undefined {
	if (request !== undefined && isTerminal(request)) return 'its RemediationRequest was over before it began';
	if (view.pausedBecause !== undefined) return `paused before it began: ${view.pausedBecause}`;
	if (request === undefined) return undefined;
	if (view.approvalOf(request.uid)?.decision === 'Rejected')
		return 'its RemediationRequest was rejected before it began';
	return cancelResolved && request.resolvedAt !== undefined ? 'its signal was resolved before it began' : undefined;
}
