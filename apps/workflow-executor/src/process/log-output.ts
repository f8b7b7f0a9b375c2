// Lines of a log, written together: a write is a system call, and one for each line would stand between a request and
// its answer. They wait a moment at most; a warning takes all of them along at once, and so does the end of the process.
// Lost: the lines of the last moment of a process that is killed.
import type { Clock } from '@kubernaut/backoff';

/** pino tells the level of a line to streams that ask for it by this. */
const ASKS_FOR_LEVEL: unique symbol = Symbol.for('pino.metadata') as never;
export type LogOutput = {
	[ASKS_FOR_LEVEL]: true;
	lastLevel: number;
	write(line: string): void;
	/** What is kept goes out now. */
	flush(): void;
};

const KEPT_MS = 10;
const WARNING = 40;

export function createLogOutput(writeOut: (lines: string) => unknown, clock: Clock): LogOutput {
	let kept = '';
	let isWaiting = false;
	return {
		[ASKS_FOR_LEVEL]: true,
		lastLevel: 0,
		write(line) {
			kept += line;
			if (this.lastLevel >= WARNING) this.flush();
			else if (!isWaiting) {
				isWaiting = true;
				clock.setTimer(() => {
					isWaiting = false;
					this.flush();
				}, KEPT_MS);
			}
		},
		flush() {
			const lines = kept;
			kept = '';
			if (lines !== '') writeOut(lines);
		},
	};
}
