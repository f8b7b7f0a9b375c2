// Starts contenders, and reads what they write.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { within } from '../patience.ts';
import type { ContenderArguments } from './contender.ts';
import type { LockPort } from './lock-port.ts';
import type { LockSite } from './lock-site.ts';

export type Contender = {
	readonly process: ChildProcess;
	nextLine<T>(): Promise<T>;
	/** Everything that it wrote, when it has ended well. */
	ended<T>(): Promise<T[]>;
};

const SCRIPT = fileURLToPath(new URL('contender.ts', import.meta.url));
/** Several processes that start at once, on a machine that is busy with others. */
const START_MS = 50_000;

type Stage = { readonly site: LockSite; onClose(cleanup: () => unknown): void };

export function startContender(
	stage: Stage,
	name: string,
	key: string,
	work: ContenderArguments['work'],
	port: LockPort['inOwnProcess'] = stage.site.port.inOwnProcess,
): Contender {
	const { namespace, kubeconfig } = stage.site;
	const args: ContenderArguments = { port, name, namespace, kubeconfig, key, work };
	const child = spawn(process.execPath, ['--no-warnings', SCRIPT, JSON.stringify(args)], {
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	stage.onClose(() => child.kill('SIGKILL'));
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const complaints: string[] = [];
	createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
	const next = () => within(`${name} writes a line`, lines.next(), START_MS);
	return {
		process: child,
		async nextLine<T>() {
			const line = await next();
			if (line.done) throw new Error(`${name} ended: ${complaints.join('\n')}`);
			return JSON.parse(line.value) as T;
		},
		async ended<T>() {
			const all: T[] = [];
			for (let line = await next(); !line.done; line = await next()) all.push(JSON.parse(line.value) as T);
			if (complaints.length > 0) throw new Error(`${name} complained: ${complaints.join('\n')}`);
			return all;
		},
	};
}
