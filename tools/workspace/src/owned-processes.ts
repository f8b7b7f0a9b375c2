// Background processes that live in a directory of their own and never outlive their owner.
// Guarantee: when the owner stops, crashes or is killed, its processes end and the directory goes: a watchdog in a
// session of its own holds the other end of a pipe. If the watchdog is killed too, the next start sweeps.
// A process is signalled only when both its pid and its start time are the recorded ones. What belongs to another host
// or pid namespace that shares the directory is left alone: from here it is unknown whether it lives.
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
import { fileURLToPath } from 'node:url';
import { codeOf } from './error-code.mjs';
import { identityOf, isGone, isOfHere, ownIdentity, type ProcessIdentity } from './process-identity.mjs';
import { stopProcess } from './stop-process.ts';

const STOP_TIMEOUT_MS = 10_000;
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
	mkdirSync(records(directory));
	return directory;
}

/** From now on it has no owner: it stays until it is stopped. Not in a parent that is swept with its ownerless. */
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

export type OwnedProcessOptions = {
	env?: NodeJS.ProcessEnv;
	cwd?: string;
	output?: 'log' | 'pipe';
	/** A file descriptor for its standard output, in place of `output`. */
	stdout?: number | undefined;
};

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
			stdio: ['ignore', options.stdout ?? log ?? 'pipe', log ?? 'pipe'],
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
	return [records(directory), closedRecords(directory)].flatMap((path) =>
		listDirectory(path)
			.toSorted()
			.flatMap((file) => (readWhole(join(path, file)) as RecordedProcess | undefined) ?? []),
	);
}

/**
 * Stops the last started first (an API server before its etcd), kills what takes too long, removes the directory.
 * From now on nothing can be started in it. Fails, and leaves the directory, when something of it cannot be ended.
 */
export async function stopOwned(directory: string, timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
	const elsewhere = [ownerOf(directory), ...recordedProcesses(directory)].find((found) => found && !isOfHere(found));
	if (elsewhere) throw new Error(`${directory} belongs to another host or container: ${elsewhere.place}`);
	closeRecords(directory);
	const problems: string[] = [];
	for (const recorded of recordedProcesses(directory).toReversed())
		await stopProcess(recorded, { timeoutMs }).catch((error) => problems.push(`${recorded.name}: ${messageOf(error)}`));
	if (problems.length > 0) throw new Error(problems.join('; '));
	rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Clears what dead owners left; also what never got an owner, unless directories without one are kept on purpose.
 * What cannot be cleared is named on stderr and stays: it must not keep anybody from working.
 */
export async function sweepOwned(parent: string, { ownerless = true } = {}): Promise<string[]> {
	const swept: string[] = [];
	for (const name of listDirectory(parent)) {
		const directory = join(parent, name);
		try {
			if (!isAbandoned(directory, ownerless)) continue;
			await stopOwned(directory);
			swept.push(directory);
		} catch (error) {
			console.error(
				`${directory}, left by an earlier run, cannot be cleared (${messageOf(error)}). End what still runs of it and remove it.`,
			);
		}
	}
	return swept;
}

function isAbandoned(directory: string, ownerless: boolean): boolean {
	const owner = ownerOf(directory);
	return owner === undefined ? ownerless && ageMs(directory) > OWNERLESS_MS : isGone(owner);
}

function recordOrKill(directory: string, name: string, child: ChildProcess & { pid?: number | undefined }): void {
	const pid = child.pid!;
	const order = String(listDirectory(records(directory)).length).padStart(6, '0');
	try {
		const identity = identityOf(pid) ?? { pid, startedAt: '' }; // it has ended already
		writeWhole(join(records(directory), `${order}-${name}.json`), { name, ...identity });
	} catch (error) {
		child.kill('SIGKILL'); // the directory is gone or being stopped: what is not recorded must not run
		throw error;
	}
}

function records(directory: string): string {
	return join(directory, 'processes');
}

/** Where the records are when none may be added any more. */
function closedRecords(directory: string): string {
	return join(directory, 'stopping');
}

/** Else, what is started while others are being stopped would be missed, and lose its record. */
function closeRecords(directory: string): void {
	try {
		renameSync(records(directory), closedRecords(directory));
	} catch (error) {
		if (!isAbsence(error)) throw error; // else another process is stopping it too, or nothing is left of it
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
	} catch (error) {
		if (isAbsence(error) || error instanceof SyntaxError) return undefined; // not there (any more), or a draft
		throw error; // we cannot look: that says nothing about what is there
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
	} catch (error) {
		if (isAbsence(error)) return []; // nothing in it
		throw error;
	}
}

function isAbsence(error: unknown): boolean {
	return ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
