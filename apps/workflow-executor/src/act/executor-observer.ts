// What the executor reports about its work: implemented by metrics and by the log.
import type { WriterObserver } from './execution-writer.ts';

export type ExecutorObserver = WriterObserver & {
	abandoned(run: string): void;
	eventFailed(error: unknown): void;
};
