// What the demo says, and how it looks: in a terminal with weight and a line that moves, in a pipe as plain lines.
import { startProgress } from '@kubernaut/workspace/progress';

/** The part of a stream that is needed; process.stdout is one. */
type Output = { write(text: string): unknown; isTTY?: boolean | undefined; columns?: number | undefined };

const TERMINAL_MS = 50;
const PIPE_MS = 2000;
const MARGIN = '  ';
const MAX_ASIDE = 116;

export class Screen {
	readonly #output: Output;
	readonly #now: () => number;
	readonly #styled: boolean;
	#closed = false;

	constructor(output: Output, { colour = true, now = () => performance.now() } = {}) {
		this.#output = output;
		this.#now = now;
		this.#styled = output.isTTY === true && colour;
	}

	headline(text: string): void {
		this.#write(`\n${this.#style('1', text)}\n`);
	}

	print(...lines: readonly string[]): void {
		for (const line of lines) this.#write(line === '' ? '\n' : `${MARGIN}${line}\n`);
	}

	/** Long ones go on in the next line. */
	aside(...lines: readonly string[]): void {
		const wrapped = lines.flatMap(wrap);
		this.print(...wrapped.map((line) => (line === '' ? line : this.#style('2', line))));
	}

	/** A wait with an end: says what it waits for after two seconds, and how long it took at the end. */
	async step<T>(what: string, run: () => Promise<T>, result: (value: T) => string): Promise<T> {
		const startedAt = this.#now();
		const progress = startProgress(MARGIN + what);
		try {
			const value = await run();
			progress.stop('done');
			this.print(`${result(value)} ${this.#style('2', `(${seconds(this.#now() - startedAt)})`)}`);
			return value;
		} finally {
			progress.stop('not done'); // the first end counts
		}
	}

	/** One line that changes: rewritten in a terminal, in a pipe written anew now and then. */
	liveLine(): { update(text: string): void; end(text: string): void } {
		const { isTTY, columns = 80 } = this.#output;
		let shownAt = this.#now();
		return {
			update: (text) => {
				if (this.#now() - shownAt < (isTTY ? TERMINAL_MS : PIPE_MS)) return;
				shownAt = this.#now();
				// A line that wraps could not be rewritten.
				const line = (MARGIN + text).slice(0, columns - 1);
				this.#write(isTTY ? `\r\x1b[K${line}` : `${MARGIN}${text}\n`);
			},
			end: (text) => this.#write(`${isTTY ? '\r\x1b[K' : ''}${MARGIN}${text}\n`),
		};
	}

	/** Nothing is said after this: what is still under way has no reader. */
	close(): void {
		this.#closed = true;
	}

	#write(text: string): void {
		if (!this.#closed) this.#output.write(text);
	}

	#style(code: string, text: string): string {
		return this.#styled ? `\x1b[${code}m${text}\x1b[0m` : text;
	}
}

/** At blanks; a word that is longer stays whole. */
function wrap(text: string): string[] {
	const lines = [''];
	for (const word of text.split(' ')) {
		const line = lines.at(-1) ?? '';
		if (line === '') lines[lines.length - 1] = word;
		else if (line.length + 1 + word.length <= MAX_ASIDE) lines[lines.length - 1] = `${line} ${word}`;
		else lines.push(word);
	}
	return lines;
}

export function seconds(ms: number): string {
	return `${(ms / 1000).toFixed(1)} s`;
}
