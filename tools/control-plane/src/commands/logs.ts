// The logs of what runs in a directory, as they are and as they grow.
import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 200;
const CHUNK_BYTES = 65_536;
const SUFFIX = '.log';

export function logNames(directory: string): string[] {
	return readdirSync(directory)
		.filter((file) => file.endsWith(SUFFIX))
		.map((file) => file.slice(0, -SUFFIX.length))
		.toSorted();
}

/** With several parts, each line begins with the name of its own. Following ends with the directory or the signal. */
export async function writeLogs(
	directory: string,
	names: readonly string[],
	write: (text: string) => void,
	follow?: AbortSignal,
): Promise<void> {
	const logs = names.map((name) => new GrowingLog(join(directory, `${name}${SUFFIX}`)));
	const writeNew = () => {
		for (const [i, log] of logs.entries()) {
			const lines = log.newLines();
			if (lines.length === 0) continue;
			const prefix = names.length > 1 ? `${names[i]} | ` : '';
			write(`${lines.map((line) => prefix + line).join('\n')}\n`);
		}
	};
	writeNew();
	if (follow === undefined) return;
	while (!follow.aborted && existsSync(directory)) {
		await delay(POLL_MS, undefined, { signal: follow }).catch(() => {}); // abort only ends the wait
		writeNew();
	}
}

class GrowingLog {
	readonly #path: string;
	#position = 0;
	#rest = '';
	#decoder = new TextDecoder();

	constructor(path: string) {
		this.#path = path;
	}

	/** Whole lines that were written since the last call. */
	newLines(): string[] {
		const lines = (this.#rest + this.#newText()).split('\n');
		this.#rest = lines.pop() ?? '';
		return lines;
	}

	#newText(): string {
		let file: number;
		try {
			file = openSync(this.#path, 'r');
		} catch {
			return ''; // gone
		}
		try {
			const chunk = Buffer.alloc(CHUNK_BYTES);
			let text = '';
			for (;;) {
				const bytes = readSync(file, chunk, 0, CHUNK_BYTES, this.#position);
				if (bytes === 0) return text;
				this.#position += bytes;
				text += this.#decoder.decode(chunk.subarray(0, bytes), { stream: true });
			}
		} finally {
			closeSync(file);
		}
	}
}
