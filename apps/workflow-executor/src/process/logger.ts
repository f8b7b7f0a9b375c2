// Logs are lines of JSON with constant messages and fields. Secrets are redacted.
// Guarantee: logging never waits for the reader of the log. Lines wait, to be written together, for FLUSH_MS at most while
// the reader keeps up; a warning or an error is written at once, with the lines before it. Up to MAX_BYTES wait for a reader
// that does not keep up. Lines beyond that are dropped, and counted when the reader is back.
// Not guaranteed: the last FLUSH_MS of a process that is killed, and at the end of a process more than a short wait for its
// reader.
import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { type DestinationStream, type Logger, pino } from 'pino';
import { APP } from '../app.ts';
import type { Clock } from './clock.ts';

const SECRETS = ['authorization', 'token', 'password', 'headers.authorization', 'req.headers.authorization', '*.token'];
const WARNING = 40;

/** Bytes that were taken; "full" when the reader must read first, "closed" when there is none. */
export type WriteNow = (bytes: Uint8Array) => number | 'full' | 'closed';
type LogOutputObserver = {
	lineDropped(): void;
	/** So many lines were dropped, and from now on lines are written again. */
	readAgain(droppedLines: number): void;
};

const STDOUT = 1;
/** Lines are written together: a write for each would stand between a request and its answer. */
const BATCH_BYTES = 4096;
const FLUSH_MS = 100;
/** While the reader reads, but more slowly than lines come. */
const BUSY_MS = 10;
export const MAX_BYTES = 1_048_576;
const MAX_WAIT_AT_EXIT_MS = 2000;
const MAX_STANDSTILL_AT_EXIT_MS = 300;

/** `lineDropped`: the log was not read for so long that a line had to be dropped. */
export function createLogger(
	level: string,
	pod: string,
	lineDropped: () => void = () => {},
	writeNow?: WriteNow,
): Logger {
	const output = new LogOutput(writeNow ?? writeToStandardOutput(), {
		lineDropped,
		readAgain: (lines) => log.warn({ lines }, 'log lines dropped'),
	});
	if (writeNow === undefined) process.once('exit', () => output.end());
	const log = pino(
		{
			level,
			base: { app: APP.name, pod },
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (label: string) => ({ level: label }) },
			redact: { paths: SECRETS, censor: '[redacted]' },
			hooks: {
				logMethod(line, write, lineLevel) {
					write.apply(this, line);
					if (lineLevel >= WARNING) output.flush();
				},
			},
		},
		output satisfies DestinationStream,
	);
	return log;
}

/** A log that waits for its reader keeps no process from ending. */
const LOOSE_TIMERS: Pick<Clock, 'setTimer'> = {
	setTimer(onElapsed, delayMs) {
		const timer = setTimeout(onElapsed, delayMs).unref();
		return () => clearTimeout(timer);
	},
};

export class LogOutput {
	readonly #writeNow: WriteNow;
	readonly #observer: LogOutputObserver;
	/** What was tried and not taken yet. */
	#rest = Buffer.alloc(0);
	#lines: string[] = [];
	#lineBytes = 0;
	#dropped = 0;
	readonly #clock: Pick<Clock, 'setTimer'>;
	#cancelTimer: (() => void) | undefined;

	constructor(writeNow: WriteNow, observer: LogOutputObserver, clock: Pick<Clock, 'setTimer'> = LOOSE_TIMERS) {
		this.#writeNow = writeNow;
		this.#observer = observer;
		this.#clock = clock;
	}

	write(line: string): void {
		const bytes = Buffer.byteLength(line);
		if (this.#waiting + bytes > MAX_BYTES) {
			this.#dropped++;
			this.#observer.lineDropped();
			return;
		}
		this.#lines.push(line);
		this.#lineBytes += bytes;
		if (this.#waiting >= BATCH_BYTES) this.flush();
		else this.#flushAfter(FLUSH_MS);
	}

	/** At once, unless the reader is behind: then it is tried again and again from a timer. */
	flush(): void {
		if (this.#rest.length > 0) return;
		this.#tryWrite();
	}

	/** The end of the process: waits for a reader that reads. */
	end(): void {
		const startedAt = performance.now();
		let takenAt = startedAt;
		while (this.#waiting > 0) {
			const taken = this.#tryWrite();
			const now = performance.now();
			if (typeof taken === 'number') takenAt = now;
			else if (taken === 'closed' || now - takenAt > MAX_STANDSTILL_AT_EXIT_MS) return;
			if (now - startedAt > MAX_WAIT_AT_EXIT_MS) return;
			if (this.#waiting > 0) stand(BUSY_MS);
		}
	}

	#tryWrite(): ReturnType<WriteNow> {
		this.#cancelTimer?.();
		this.#cancelTimer = undefined;
		let taken: ReturnType<WriteNow> = 0;
		while (this.#waiting > 0) {
			if (this.#rest.length === 0) {
				this.#rest = Buffer.from(this.#lines.join(''));
				this.#lines = [];
				this.#lineBytes = 0;
			}
			taken = this.#writeNow(this.#rest);
			if (typeof taken !== 'number') break;
			this.#rest = this.#rest.subarray(taken);
			if (this.#waiting < MAX_BYTES / 2) this.#reportDropped();
			if (this.#rest.length > 0) break; // the next write would be in vain
		}
		if (this.#waiting > 0) this.#flushAfter(typeof taken === 'number' ? BUSY_MS : FLUSH_MS);
		return taken;
	}

	/** Bytes. */
	get #waiting(): number {
		return this.#rest.length + this.#lineBytes;
	}

	#reportDropped(): void {
		const dropped = this.#dropped;
		this.#dropped = 0;
		if (dropped > 0) this.#observer.readAgain(dropped);
	}

	#flushAfter(delayMs: number): void {
		this.#cancelTimer ??= this.#clock.setTimer(() => this.#tryWrite(), delayMs);
	}
}

/** For the standard output, whatever it is. */
function writeToStandardOutput(): WriteNow {
	const descriptor = nonBlockingOutput();
	return (bytes) => {
		try {
			return writeSync(descriptor, bytes);
		} catch (error) {
			return error instanceof Error && 'code' in error && error.code === 'EPIPE' ? 'closed' : 'full';
		}
	};
}

/**
 * A pipe or a terminal is opened anew, because whether writes wait is a property that is shared by all processes that
 * inherited it: a parent, or what runs after us, may not expect it. A socket cannot be opened anew: there Node sets the
 * property, and sets it back when it exits.
 */
function nonBlockingOutput(): number {
	// A file takes everything, and opened anew it would be written from its beginning.
	if (fstatSync(STDOUT).isFile()) return STDOUT;
	try {
		return openSync(`/proc/self/fd/${STDOUT}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
	} catch {
		process.stdout.on('error', () => {}); // the first use of process.stdout is what sets it
		return STDOUT;
	}
}

/** Waits without the event loop, which does not run any more when a process exits. */
function stand(milliseconds: number): void {
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
