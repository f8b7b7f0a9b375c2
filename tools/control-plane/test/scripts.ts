// Other processes for tests: scripts that import this package, with a cache directory of their own, and what is left
// of them.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProcessIdentity, startTimeOf } from '@kubernaut/workspace/process-identity';
import { onTestFinished } from 'vitest';
import { obtainPart } from '../src/parts/obtain-part.ts';
import { sendSignal } from '../src/running/send-signal.ts';

const PACKAGE = new URL('../src/index.ts', import.meta.url).href;
const CLI = new URL('../src/cli.ts', import.meta.url).pathname;

/** As resolved, so that it is found in the command lines of what runs there. */
export function temporaryDirectory(): string {
	return realpathSync(mkdtempSync(join(tmpdir(), 'control-plane-')));
}

/**
 * An environment with a cache of its own, in which API server and etcd are there already: nothing of the user's is
 * touched, and what is left over shows. Builds them when this machine has none yet.
 */
export async function environmentWithBinaries(cache: string): Promise<NodeJS.ProcessEnv> {
	const assets = join(cache, 'assets');
	mkdirSync(assets, { recursive: true });
	for (const name of ['kube-apiserver', 'etcd'] as const) symlinkSync(await obtainPart(name), join(assets, name));
	const environment: NodeJS.ProcessEnv = { ...process.env, KUBEBUILDER_ASSETS: assets, KUBERNAUT_CACHE_DIR: cache };
	delete environment['KUBERNAUT_TEST_KUBECONFIG'];
	return environment;
}

/** Ends what still runs below a directory, and removes it. */
export function removeWithProcesses(directory: string): void {
	for (const { pid } of processesNaming(directory)) sendSignal(pid, 'SIGKILL');
	rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}

export type Script = {
	child: ChildProcess;
	/** Its standard output so far. */
	output(): string;
	errors(): string;
	/** The exit code, or the signal that ended it. */
	exited: Promise<number | NodeJS.Signals>;
};

/** Code of a module that has everything that this package exports. Killed with the test. */
export function startScript(code: string, environment: NodeJS.ProcessEnv): Script {
	const head = `import * as controlPlane from ${JSON.stringify(PACKAGE)};\n`;
	return start(['--input-type=module', '--eval', head + code], environment);
}

export function startCli(args: readonly string[], environment: NodeJS.ProcessEnv): Script {
	return start([CLI, ...args], environment);
}

function start(args: readonly string[], env: NodeJS.ProcessEnv): Script {
	const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	let errors = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
	onTestFinished(() => void child.kill('SIGKILL'));
	const exited = new Promise<number | NodeJS.Signals>((resolve) =>
		child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
	);
	return { child, output: () => output, errors: () => errors, exited };
}

/** Everything that runs and has the text in its command line. */
export function processesNaming(text: string): (ProcessIdentity & { command: string })[] {
	// A slim image has no `ps`, and a Mac no /proc.
	const commands = existsSync('/proc/self/cmdline') ? commandsFromProc() : commandsFromPs();
	return commands.flatMap(({ pid, command }) => {
		if (!command.includes(text)) return [];
		const startedAt = startTimeOf(pid);
		return startedAt === undefined ? [] : [{ pid, startedAt, command }];
	});
}

function commandsFromProc(): { pid: number; command: string }[] {
	return readdirSync('/proc').flatMap((name) => {
		if (!/^\d+$/.test(name)) return [];
		try {
			const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd();
			return [{ pid: Number(name), command }];
		} catch {
			return []; // gone
		}
	});
}

function commandsFromPs(): { pid: number; command: string }[] {
	const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=', '-o', 'args='], { encoding: 'utf8' });
	return [...stdout.matchAll(/^\s*(\d+) (.*)$/gm)].map(([, pid, command]) => ({ pid: Number(pid), command: command! }));
}
