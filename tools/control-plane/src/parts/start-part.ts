// Starts one part as a process of our own and waits until it answers.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { logFile, startOwnedProcess } from '@kubernaut/workspace/owned-processes';
import { Agent, request } from 'undici';
import { openOwnedDirectory } from '../running/owned-directory.ts';
import { clientCredentials } from '../server/certificates.ts';
import { freePorts } from './free-ports.ts';
import { obtainPart } from './obtain-part.ts';
import { PARTS, type PartName } from './parts.ts';

export type StartPartOptions = {
	/** Live in this directory instead of one of its own; its owner stops what runs in it. */
	directory?: string;
	binary?: string;
	extraArgs?: readonly string[];
	/** Instead of free ones: to come back where it was. */
	ports?: readonly number[];
	/** Written into the directory first: alertmanager.yaml, prometheus.yaml, ... */
	files?: Readonly<Record<string, string>>;
	/** Ends the wait; what was started in a directory of its own is stopped. */
	signal?: AbortSignal;
	environment?: NodeJS.ProcessEnv;
};

export type RunningPart = {
	readonly name: PartName;
	readonly url: string;
	readonly pid: number;
	readonly directory: string;
	log(): string;
	stop(): Promise<void>;
};

/** What it takes to start a part again as it was. */
type Start = { binary: string; ports: readonly number[]; extraArgs: readonly string[] };

// These only end what hangs: on a machine that is busy enough, everything takes its time.
const READY_TIMEOUT_MS = 180_000;
const PROBE_TIMEOUT_MS = 5_000;
const READY_POLL_MS = 25;
const PORT_TRIES = 3;
const SHOWN_LOG_LINES = 15;

export async function startPart(name: PartName, options: StartPartOptions = {}): Promise<RunningPart> {
	const binary = options.binary ?? (await obtainPart(name, options));
	const own = options.directory === undefined ? await openOwnedDirectory(options.environment) : undefined;
	const directory = options.directory ?? own!.path;
	try {
		for (const [file, content] of Object.entries(options.files ?? {})) writeFileSync(join(directory, file), content);
		const started = await startOnFreePorts(name, binary, directory, options);
		return {
			...started,
			name,
			directory,
			log: () => readLog(directory, name),
			stop: async () => own?.close(),
		};
	} catch (error) {
		await own?.close();
		throw error;
	}
}

export function readStart(directory: string, name: PartName): Start {
	return JSON.parse(readFileSync(startFile(directory, name), 'utf8')) as Start;
}

async function startOnFreePorts(name: PartName, binary: string, directory: string, options: StartPartOptions) {
	const { start, ports } = PARTS[name];
	const extraArgs = options.extraArgs ?? [];
	if (start === undefined) throw new Error(`${name} is a program that runs once: obtainPart("${name}") gives its path`);
	for (let attempt = 1; ; attempt++) {
		const onPorts = options.ports ?? (await freePorts(ports));
		const plan = start({ directory, ports: onPorts, extraArgs });
		const before = readLog(directory, name).length;
		const env = plan.env && { env: { ...process.env, ...plan.env } };
		const child = startOwnedProcess(directory, name, [binary, ...plan.args], env);
		let exit: string | undefined;
		child.once('exit', (code, signal) => (exit = `ended with ${code ?? signal}`));
		child.once('error', (error) => (exit = error.message));
		// Not all parts end then (toxiproxy stays), and the process that has the port may answer in their place.
		const portTaken = () => readLog(directory, name).slice(before).includes('address already in use');
		const ready = await waitUntilReady(
			plan.readyUrl,
			directory,
			options.signal,
			() => exit !== undefined || portTaken(),
		);
		const log = readLog(directory, name);
		if (portTaken()) {
			child.kill('SIGKILL');
			exit = 'found its port taken';
			if (attempt < PORT_TRIES) {
				rmSync(logFile(directory, name), { force: true });
				continue;
			}
		}
		if (ready && exit === undefined) {
			child.unref();
			const record: Start = { binary, ports: onPorts, extraArgs };
			writeFileSync(startFile(directory, name), JSON.stringify(record));
			return { url: plan.url, pid: child.pid! };
		}
		const what = exit ?? `did not answer ${plan.readyUrl} in time`;
		throw new Error(`${name} ${what}. Its last lines:\n${log.split('\n').slice(-SHOWN_LOG_LINES).join('\n')}`);
	}
}

async function waitUntilReady(
	url: string,
	directory: string,
	signal: AbortSignal | undefined,
	ended: () => boolean,
): Promise<boolean> {
	const deadline = performance.now() + READY_TIMEOUT_MS;
	const { ca, certificate: cert, key } = clientCredentials(directory) ?? {};
	const dispatcher = new Agent({ allowH2: false, connect: ca ? { ca, cert, key } : {} });
	try {
		while (performance.now() < deadline && !ended()) {
			signal?.throwIfAborted();
			if (await answersOk(url, dispatcher, signal)) return true;
			await delay(READY_POLL_MS);
		}
		return false;
	} finally {
		await dispatcher.destroy();
	}
}

async function answersOk(url: string, dispatcher: Agent, signal: AbortSignal | undefined): Promise<boolean> {
	try {
		const { statusCode, body } = await request(url, {
			dispatcher,
			headersTimeout: PROBE_TIMEOUT_MS,
			bodyTimeout: PROBE_TIMEOUT_MS,
			...(signal && { signal }),
		});
		await body.dump();
		return statusCode === 200;
	} catch {
		return false; // not listening yet, or the wait was aborted
	}
}

function startFile(directory: string, name: PartName): string {
	return join(directory, `${name}.start.json`);
}

function readLog(directory: string, name: PartName): string {
	try {
		return readFileSync(logFile(directory, name), 'utf8').trimEnd();
	} catch {
		return '';
	}
}
