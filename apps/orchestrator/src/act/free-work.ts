// Work that needs no lock: it follows from what others wrote, and the write of a second replica that does it is not applied.
// Each part of it says whether the API server accepted ours, so that replicas learn who is at work.

import type { End, FreeDecision } from '../decide/decision.ts';
import { isNotified, ownerReference } from '../decide/notification.ts';
import { finishPatch } from '../decide/status-patch.ts';
import type { Withdrawal } from '../decide/withdrawal.ts';
import { WORKFLOW_EXECUTION_LIMITS } from '../generated/workflow-execution.ts';
import type { Approval } from '../objects/approval.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { RequestWriter } from './request-writer.ts';

export type FreeWork = {
	act(request: Remediation, decision: Exclude<FreeDecision, { do: 'nothing' }>): Promise<boolean>;
	/** It has not begun, and must not: of this write and the executor's claim, the API server rejects the second. */
	withdraw(withdrawal: Withdrawal): Promise<boolean>;
	/** It goes with the request that it answers. */
	own(approval: Approval, request: Remediation): Promise<boolean>;
};
export type FreeWorkParts = {
	readonly store: Pick<ObjectStore, 'getExecution' | 'patchExecution' | 'removeRequest' | 'ownApproval'>;
	readonly known: Pick<KnownObjects, 'requests' | 'executions' | 'approvals'>;
	readonly writer: RequestWriter;
	readonly now: () => Date;
	readonly observer: { removed(phase: string): void; withdrawn(execution: string, why: string): void };
};

const MAX_SKIP_LENGTH = WORKFLOW_EXECUTION_LIMITS['status.skipDetails.message'].maxLength;

export function createFreeWork({ store, known, writer, now, observer }: FreeWorkParts): FreeWork {
	async function finish(request: Remediation, end: End): Promise<boolean> {
		const patchOf = (fresh: Remediation) => finishPatch(fresh, end, now());
		const finished = await writer.write(request, patchOf, { ...end, do: 'finish' });
		await writer.notify(finished);
		return finished !== undefined;
	}

	/** The replica that wrote the state may have done it since. */
	async function notify(request: Remediation): Promise<boolean> {
		const fresh = await writer.refresh(request);
		if (fresh === undefined || isNotified(fresh, known.requests.by('target', fresh.target))) return false;
		await writer.notify(fresh);
		return true;
	}

	async function verifyExecution(request: Remediation): Promise<boolean> {
		const ref = request.executionRef;
		const found = ref === undefined ? undefined : await store.getExecution(ref.name);
		if (found !== undefined && found.uid === ref?.uid) {
			known.executions.changed(found);
			return false;
		}
		const message = `${ref?.name ?? 'the execution'} was deleted before it ended`;
		return finish(request, { phase: 'Failed', outcome: 'ExecutionLost', message });
	}

	async function remove(request: Remediation): Promise<boolean> {
		const answer = await store.removeRequest(request);
		if (answer === 'changed') await writer.refresh(request);
		else known.requests.removed(request);
		if (answer === 'removed') observer.removed(request.phase ?? 'Pending');
		return answer === 'removed';
	}

	return {
		async own(approval, request) {
			const answer = await store.ownApproval(approval, { ...ownerReference(request), controller: false });
			if (answer === 'changed') return false; // another replica did it
			if (answer === 'gone') known.approvals.removed(approval);
			else known.approvals.changed(answer);
			return answer !== 'gone';
		},
		act(request, decision) {
			switch (decision.do) {
				case 'finishExecuted':
					return finish(request, decision);
				case 'verifyExecution':
					return verifyExecution(request);
				case 'notify':
					return notify(request);
				case 'remove':
					return remove(request);
			}
		},
		async withdraw({ execution, message }) {
			const answer = await store.patchExecution(execution, {
				phase: 'Skipped',
				completionTime: now().toISOString(),
				skipDetails: { reason: 'Withdrawn', message: message.slice(0, MAX_SKIP_LENGTH).toWellFormed() },
			});
			if (typeof answer === 'object') {
				known.executions.changed(answer);
				observer.withdrawn(execution.name, message);
				return true;
			}
			const fresh = await store.getExecution(execution.name);
			if (fresh === undefined) known.executions.removed(execution);
			else known.executions.changed(fresh);
			return false;
		},
	};
}
