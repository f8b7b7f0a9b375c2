// Times of one execution. Its time-out counts from its creation, and the orchestrator gives up 5 minutes after it: whatever
// happens, the outcome is written before that.
import type { Execution } from '../objects/execution.ts';

const MINUTE = 60_000;
/** Tekton is given this long to end a run whose time is up. */
export const CANCEL_AFTER_MS = MINUTE;
/** A run that was cancelled and does not end: its tasks are deleted. */
export const DELETE_TASKS_AFTER_MS = 2 * MINUTE;
/** Still not done: the outcome is written without the engine's word. */
export const GIVE_UP_AFTER_MS = 4 * MINUTE;
/** A run that is done, and of which something lives on: the outcome is written, and the name stays taken. */
export const RECORD_AFTER_MS = 2 * MINUTE;
/** A cooldown with less left than this is waited for: another execution would cost more. */
export const WORTH_WAITING_MS = 10_000;

export function deadlineOf({ createdAt, timeoutMs }: Pick<Execution, 'createdAt' | 'timeoutMs'>): number {
	return Date.parse(createdAt) + timeoutMs;
}
