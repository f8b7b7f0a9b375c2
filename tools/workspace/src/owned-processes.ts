// Background processes that live in a directory of their own and never outlive their owner.
// Guarantee: when the owner stops, crashes or is killed, its processes end and the directory goes: a watchdog in a
// session of its own holds the other end of a pipe. If the watchdog is killed too, the next start sweeps.
// A process is signalled only when both its pid and its start time are the recorded ones.
// Not guaranteed: an owner killed within the fraction of a millisecond between starting a process and recording it
// leaves that process.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
	closeSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isAlive, ownIdentity, type ProcessIdentity, startTimeOf } from './process-identity.mjs';

const STOP_TIMEOUT_MS = 10_000;
const STOP_POLL_MS = 25;
// A directory gets its owner right after it is made; one without an owner for this long will never get one.
const OWNERLESS_MS = 60_000;
const WATCHDOG = join(dirname(fileURLToPath(import.meta.url)), 'watchdog.ts');

export type RecordedProcess = ProcessIdentity & { name: string };

/** Fails when the name is taken. */
export function createOwnedDirectory(parent: string, name = randomBytes(4).toString('hex')): string {
	const directory = join(parent, name);
	mkdirSync(parent, { recursive: true });
	mkdirSync(directory);
	writeWhole(ownerFile(directory), ownIdentity());
	mkdirSync(join(directory, 'processes'));
	return directory;
}

/** From now on it has no owner: it stays until somebody stops it. Not in a parent that is swept with its ownerless. */
export function keepOwned(directory: string): void {
	rmSync(ownerFile(directory));
}

/** Undefined when it is kept, or just being made or removed. */
export function ownerOf(directory: string): ProcessIdentity | undefined {
	return readWhole(ownerFile(directory)) as ProcessIdentity | undefined;
}

/** Ends the directory's processes when this process ends, whatever ends it, unless the directory is kept by then. */
export function watchOver(directory: string): { dismiss(): void } {
	const watchdog = spawn(process.execPath, [WATCHDOG, directory, JSON.stringify(ownIdentity())], {
		detached: true,
		stdio: ['pipe', 'ignore', 'ignore'],
	});
	watchdog.unref();
	// The pipe must not keep us alive, and its end after the watchdog's own exit is no error of ours.
	watchdog.stdin?.on('error', () => {});
	(watchdog.stdin as unknown as { unref?: () => void } | null)?.unref?.();
	return { dismiss: () => void watchdog.stdin?.end() };
}

export type OwnedProcessOptions = { env?: NodeJS.ProcessEnv; cwd?: string; output?: 'log' | 'pipe' };

/** Starts in a process group of its own, so that the terminal's Ctrl-C leaves the order of stopping to us. */
export function startOwnedProcess(
	directory: string,
	name: string,
	[program, ...args]: readonly [string, ...string[]],
	options: OwnedProcessOptions = {},
): ChildProcess {
	const log = options.output === 'pipe' ? undefined : openSync(logFile(directory, name), 'a');
	try {
		const child = spawn(program, args, {
			detached: true,
			stdio: ['ignore', log ?? 'pipe', log ?? 'pipe'],
			...(options.env ? { env: options.env } : {}),
			...(options.cwd ? { cwd: options.cwd } : {}),
		});
		if (child.pid !== undefined) recordOrKill(directory, name, child);
		return child;
	} finally {
		if (log !== undefined) closeSync(log); // the child has its own
	}
}

export function logFile(directory: string, name: string): string {
	return join(directory, `${name}.log`);
}

/** In the order in which they were started. */
export function recordedProcesses(directory: string): RecordedProcess[] {
	return listDirectory(join(directory, 'processes'))
		.toSorted()
		.flatMap((file) => (readWhole(join(directory, 'processes', file)) as RecordedProcess | undefined) ?? []);
}

/** Stops the last started first (an API server before its etcd), kills what takes too long, removes the directory. */
export async function stopOwned(directory: string, timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
	for (const recorded of recordedProcesses(directory).toReversed()) await stop(recorded, timeoutMs);
	rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/** Clears what dead owners left; also what never got an owner, unless directories without one are kept on purpose. */
export async function sweepOwned(parent: string, { ownerless = true } = {}): Promise<string[]> {
	const swept: string[] = [];
	for (const name of listDirectory(parent)) {
		const directory = join(parent, name);
		const owner = ownerOf(directory);
		const abandoned = owner === undefined ? ownerless && ageMs(directory) > OWNERLESS_MS : !isAlive(owner);
		if (!abandoned) continue;
		await stopOwned(directory);
		swept.push(directory);
	}
	return swept;
}

function recordOrKill(directory: string, name: string, child: ChildProcess & { pid?: number | undefined }): void {
	const pid = child.pid!;
	const processes = join(directory, 'processes');
	const order = String(listDirectory(processes).length).padStart(6, '0');
	try {
		writeWhole(join(processes, `${order}-${name}.json`), { name, pid, startedAt: startTimeOf(pid) ?? '' });
	} catch (error) {
		child.kill('SIGKILL'); // the directory is gone: what is not recorded must not run
		throw error;
	}
}

async function stop(recorded: RecordedProcess, timeoutMs: number): Promise<void> {
	if (!isAlive(recorded)) return;
	const deadline = performance.now() + timeoutMs;
	signalGroup(recorded.pid, 'SIGTERM');
	while (isAlive(recorded)) {
		if (performance.now() > deadline) signalGroup(recorded.pid, 'SIGKILL');
		await delay(STOP_POLL_MS);
	}
	// Whoever of its group outlived it. The number still means that group: pids come round only after all the others.
	signalGroup(recorded.pid, 'SIGKILL');
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
	try {
		process.kill(-pid, name);
	} catch {
		// It ended between the look and the signal.
	}
}

function ownerFile(directory: string): string {
	return join(directory, 'owner.json');
}

/** Appears with its content or not at all, also when we are killed. */
function writeWhole(path: string, content: unknown): void {
	const draft = join(dirname(path), `.${randomBytes(4).toString('hex')}`);
	writeFileSync(draft, JSON.stringify(content));
	renameSync(draft, path);
}

function readWhole(path: string): unknown {
	try {
		return JSON.parse(readFileSync(path, 'utf8'));
	} catch {
		return undefined; // not there (any more), or a draft
	}
}

function ageMs(path: string): number {
	try {
		return Date.now() - statSync(path).mtimeMs;
	} catch {
		return 0; // gone
	}
}

function listDirectory(path: string): string[] {
	try {
		return readdirSync(path);
	} catch {
		return []; // not there: nothing in it
	}
}
