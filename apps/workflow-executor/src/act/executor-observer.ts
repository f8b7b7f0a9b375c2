// What the executor reports about its work: implemented by metrics and by the log.
import type { WriterObserver } from './execution-writer.ts';

export type ExecutorObserver = WriterObserver & {
	/** A run that another replica had made was claimed here. */
	takenOver(run: string): void;
	/** So many executions wait for their run. */
	waitersChanged(count: number): void;
	abandoned(run: string): void;
	eventFailed(error: unknown): void;
};
