// Lines of a log, written together: a write is a system call, and one for each line would stand between a request and
// its answer. They wait a moment at most; a warning takes all of them along at once, and so does the end of the process.
// Lost: the lines of the last moment of a process that is killed.
import type { Clock } from '@kubernaut/backoff';

/** pino tells the level of a line to streams that ask for it by this. */
const ASKS_FOR_LEVEL: unique symbol = Symbol.for('pino.metadata') as never;
export type LogOutput = { [ASKS_FOR_LEVEL]: true; lastLevel: number; write(line: string): void };
/** Keeps lines until it is told to flush. */
export type KeptLines = { write(line: string): unknown; flushSync(): void };

const KEPT_MS = 10;
const WARNING = 40;

export function createLogOutput(lines: KeptLines, clock: Clock): LogOutput {
	let isWaiting = false;
	const flush = () => {
		isWaiting = false;
		lines.flushSync();
	};
	return {
		[ASKS_FOR_LEVEL]: true,
		lastLevel: 0,
		write(line) {
			lines.write(line);
			if (this.lastLevel >= WARNING) lines.flushSync();
			else if (!isWaiting) {
				isWaiting = true;
				clock.setTimer(flush, KEPT_MS);
			}
		},
	};
}
