// A pipe for the output of a process, which is read only when a test asks for it: a log that is not read. Not the pipe of
// child_process, which is a socket, and is read ahead.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { scratchDirectory } from './scratch.ts';

export type UnreadPipe = {
	/** The descriptor for the process; its writes wait when the pipe is full, as those to an inherited pipe do. */
	readonly writeEnd: number;
	/** Not one more byte fits until it is read. */
	fill(): void;
	/** Everything that it holds and that comes while this reads, until `isEnough`; without what filled it. */
	read(isEnough: (text: string) => boolean, timeoutMs: number): Promise<string>;
	close(): void;
};

const FILLING = '\0';
const CHUNK_BYTES = 65_536;
const POLL_MS = 10;

export async function openUnreadPipe(): Promise<UnreadPipe> {
	const path = join(await scratchDirectory(), 'pipe');
	execFileSync('mkfifo', [path]);
	const ours = openSync(path, constants.O_RDWR | constants.O_NONBLOCK); // opened for both, it waits for no other end
	const writeEnd = openSync(path, constants.O_WRONLY);

	/** Zero when it would have to wait. */
	function now(io: () => number): number {
		try {
			return io();
		} catch (error) {
			if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
			throw error;
		}
	}
	return {
		writeEnd,
		fill() {
			for (const bytes of [CHUNK_BYTES, 1]) while (now(() => writeSync(ours, FILLING.repeat(bytes))) > 0);
		},
		async read(isEnough, timeoutMs) {
			const deadline = performance.now() + timeoutMs;
			const chunk = Buffer.alloc(CHUNK_BYTES);
			let text = '';
			while (!isEnough(text) && performance.now() < deadline) {
				const bytes = now(() => readSync(ours, chunk));
				if (bytes === 0) await delay(POLL_MS);
				text += chunk.toString('latin1', 0, bytes).replaceAll(FILLING, '');
			}
			return text;
		},
		close() {
			closeSync(ours);
			closeSync(writeEnd);
		},
	};
}
