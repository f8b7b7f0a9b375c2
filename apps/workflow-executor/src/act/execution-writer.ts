// Writes what became of an execution into its status, with what follows from a write that the API server accepted: an Event,
// and metrics. A write that is not applied changes nothing but what is known: the next pass decides anew.
import type { WaitReason } from '../decide/create-refusal.ts';
import { endedPatch, type Skip, skippedPatch, waitingPatch } from '../decide/status-patch.ts';
import type { WorkflowExecutionPhase } from '../generated/workflow-execution.ts';
import type { Execution } from '../objects/execution.ts';
import type { ExecutionStore, StatusPatch } from '../objects/execution-store.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { Outcome } from '../objects/run-engine.ts';
import type { EventReason, EventRecorder } from './event-recorder.ts';

export type WriterObserver = {
	/** `detail`: the reason of a failure or a skip; the phase otherwise. */
	ended(phase: WorkflowExecutionPhase, detail: string): void;
	waiting(reason: WaitReason): void;
};
export type ExecutionWriter = {
	end(execution: Execution, outcome: Outcome): Promise<void>;
	markSkipped(execution: Execution, skip: Skip): Promise<void>;
	/** Once for each reason, not at every try. */
	wait(execution: Execution, reason: WaitReason, message: string): Promise<void>;
	/** As the API server has it now; undefined when it is gone, or another has its name. */
	refresh(execution: Execution): Promise<Execution | undefined>;
};

export function createExecutionWriter(
	store: Pick<ExecutionStore, 'get' | 'patchStatus'>,
	known: Pick<KnownObjects, 'executions'>,
	events: Pick<EventRecorder, 'record'>,
	now: () => Date,
	observer: WriterObserver,
): ExecutionWriter {
	async function refresh(execution: Execution): Promise<Execution | undefined> {
		const fresh = await store.get(execution.name);
		if (fresh === undefined || fresh.uid !== execution.uid) known.executions.removed(execution);
		if (fresh !== undefined) known.executions.changed(fresh);
		return fresh?.uid === execution.uid ? fresh : undefined;
	}
	async function write(execution: Execution, patch: StatusPatch): Promise<Execution | undefined> {
		const answer = await store.patchStatus(execution, patch);
		if (typeof answer === 'string') {
			await refresh(execution);
			return undefined;
		}
		known.executions.changed(answer);
		return answer;
	}

	return {
		async end(execution, outcome) {
			const written = await write(execution, endedPatch(execution, outcome, now()));
			if (written === undefined) return;
			const reason: EventReason = outcome.phase === 'Completed' ? 'Completed' : outcome.reason;
			observer.ended(outcome.phase, reason);
			events.record(written, reason, outcome.phase === 'Completed' ? outcome.message : outcome.summary);
		},
		async markSkipped(execution, skip) {
			const written = await write(execution, skippedPatch(execution, skip, now()));
			if (written === undefined) return;
			observer.ended('Skipped', skip.reason);
			events.record(written, skip.reason, skip.message);
		},
		async wait(execution, reason, message) {
			const waiting = execution.conditions.find(({ type, status }) => type === 'Waiting' && status === 'True');
			if (waiting?.reason === reason) return;
			const written = await write(execution, waitingPatch(execution, reason, message, now()));
			if (written === undefined) return;
			observer.waiting(reason);
			events.record(written, reason, message);
		},
		refresh,
	};
}
