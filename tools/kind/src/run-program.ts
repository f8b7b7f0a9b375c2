// One program to its end: what it printed, or an error that has its last lines.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export type RunOptions = {
	env?: NodeJS.ProcessEnv;
	cwd?: string;
	/** For its standard input. */
	input?: string;
	signal?: AbortSignal;
	onLine?: (line: string) => void;
};

const SHOWN_LINES = 20;

export class ProgramError extends Error {
	readonly code: number | string;
	readonly lines: readonly string[];
	constructor(command: readonly string[], code: number | string, lines: readonly string[]) {
		super(`${command.slice(0, 4).join(' ')} … ended with ${code}:\n${lines.slice(-SHOWN_LINES).join('\n')}`);
		this.name = 'ProgramError';
		this.code = code;
		this.lines = lines;
	}
}

export function runProgram(command: readonly [string, ...string[]], options: RunOptions = {}): Promise<string> {
	const [program, ...args] = command;
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, {
			stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
			...(options.env && { env: options.env }),
			...(options.cwd && { cwd: options.cwd }),
			...(options.signal && { signal: options.signal }),
		});
		const output: string[] = [];
		const all: string[] = [];
		for (const [stream, isOutput] of [
			[child.stdout!, true],
			[child.stderr!, false],
		] as const)
			createInterface({ input: stream }).on('line', (line) => {
				if (isOutput) output.push(line);
				all.push(line);
				options.onLine?.(line);
			});
		child.once('error', reject);
		child.once('close', (code, signal) => {
			if (code === 0) resolve(output.join('\n'));
			else reject(new ProgramError(command, code ?? signal ?? 'no code', all));
		});
		child.stdin?.on('error', () => {}); // it ended without reading: its exit code says why
		child.stdin?.end(options.input);
	});
}

/** Undefined when it cannot be started or ends with a fault: for questions whose answer may be no. */
export async function tryProgram(
	command: readonly [string, ...string[]],
	options: RunOptions = {},
): Promise<string | undefined> {
	try {
		return await runProgram(command, options);
	} catch (error) {
		options.signal?.throwIfAborted();
		if (error instanceof ProgramError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		throw error;
	}
}
