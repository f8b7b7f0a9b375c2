// Starts contenders, and reads what they write down.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ContenderArguments } from './contender.ts';
import type { ContractLockOptions } from './contract-types.ts';
import type { ExamRoom } from './exam-room.ts';
import { within } from './patience.ts';

export type Contender = {
	readonly process: ChildProcess;
	nextLine<T>(): Promise<T>;
	/** Everything that it wrote, when it has ended well. */
	ended<T>(): Promise<T[]>;
};

const SCRIPT = fileURLToPath(new URL('contender.ts', import.meta.url));
/** Several processes that start at once, on a machine that is busy with others. */
const START_MS = 50_000;

export function startContender(
	room: ExamRoom,
	podName: string,
	key: string,
	work: ContenderArguments['work'],
	options: Partial<ContractLockOptions> = {},
): Contender {
	const { app, namespace, kubeconfig, rooms } = room.site;
	const args: ContenderArguments = {
		app,
		namespace,
		kubeconfig,
		directories: { lock: rooms.directories.lock.href, others: rooms.directories.others.href },
		options: { ...options, prefix: rooms.lock.LOCK_PREFIX, podName },
		key,
		work,
	};
	const child = spawn(process.execPath, ['--no-warnings', SCRIPT, JSON.stringify(args)], {
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	room.onClose(() => child.kill('SIGKILL'));
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const complaints: string[] = [];
	createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
	const next = () => within(`${podName} writes a line`, lines.next(), START_MS);
	return {
		process: child,
		async nextLine<T>() {
			const line = await next();
			if (line.done) throw new Error(`${podName} ended: ${complaints.join('\n')}`);
			return JSON.parse(line.value) as T;
		},
		async ended<T>() {
			const all: T[] = [];
			for (let line = await next(); !line.done; line = await next()) all.push(JSON.parse(line.value) as T);
			if (complaints.length > 0) throw new Error(`${podName} complained: ${complaints.join('\n')}`);
			return all;
		},
	};
}
