// A shell in the node's container that stays open: a command takes milliseconds, where each `docker exec` would take a tenth
// of a second. To stop a process at the moment at which it holds something, that is needed.
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export type NodeShell = {
	/** What it printed. */
	run(command: string): Promise<string>;
	close(): void;
};

const END = 'end-of-command';

export function openNodeShell(container: string, environment: NodeJS.ProcessEnv): NodeShell {
	const child: ChildProcessByStdio<Writable, Readable, null> = spawn('docker', ['exec', '-i', container, 'bash'], {
		env: environment,
		stdio: ['pipe', 'pipe', 'ignore'],
	});
	const waiting: { resolve: (text: string) => void; reject: (error: Error) => void; lines: string[] }[] = [];
	createInterface({ input: child.stdout }).on('line', (line) => {
		if (line === END) {
			const done = waiting.shift();
			done?.resolve(done.lines.join('\n'));
		} else waiting[0]?.lines.push(line);
	});
	let ended: Error | undefined;
	child.once('close', () => {
		ended = new Error(`the shell in ${container} has ended`);
		for (const { reject } of waiting.splice(0)) reject(ended);
	});
	child.stdin.on('error', () => {}); // `close` follows
	return {
		run(command) {
			if (ended) return Promise.reject(ended);
			return new Promise((resolve, reject) => {
				waiting.push({ resolve, reject, lines: [] });
				child.stdin.write(`${command}\necho\necho ${END}\n`);
			});
		},
		close: () => void child.stdin.end(),
	};
}
