// A real process of an app, from its bundle, as it runs in a cluster.
import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleApp } from '@kubernaut/bundle';
import { NODE_FLAGS } from '@kubernaut/bundle/node-flags';
import { freePorts } from '@kubernaut/control-plane';
import { startOwnedProcess } from '@kubernaut/workspace/owned-processes';
import { pauseProcess } from '@kubernaut/workspace/pause-process';
import { scratchDirectory, scratchRoot } from './scratch.ts';
import { executionNamespaceOf } from './service-account.ts';

export const APPS = ['gateway', 'orchestrator', 'workflow-executor', 'notification'] as const;
export type AppName = (typeof APPS)[number];

export type AppOptions = {
	kubeconfig: string;
	namespace: string;
	podName: string;
	env?: Readonly<Record<string, string>>;
	args?: readonly string[];
	/** Of another version; this tree's own when absent. */
	bundle?: string | undefined;
	/** A file descriptor for its standard output, which `output()` then lacks. */
	stdout?: number;
};

export type AppProcess = {
	readonly podName: string;
	readonly pid: number;
	/** Where the gateway takes signals; the other apps listen on no such port. */
	readonly apiUrl: string;
	readonly healthUrl: string;
	readonly metricsUrl: string;
	/** Everything that it wrote so far, a line each. */
	output(): string[];
	/** The exit code, or the signal's name. */
	readonly exited: Promise<number | NodeJS.Signals>;
	waitUntilReady(timeoutMs?: number): Promise<void>;
	signal(name: NodeJS.Signals): void;
	/** It stands still when this ends; SIGCONT lets it go on. */
	pause(): Promise<void>;
	/** Closes the reading end of its output. */
	closeOutput(): void;
	stop(): Promise<number | NodeJS.Signals>;
};

const APPS_DIRECTORY = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'apps');
const READY_TIMEOUT_MS = 45_000;
const READY_POLL_MS = 20;

const bundles = new Map<AppName, Promise<string>>();

/** Bundled once per test process, apart from dist/, which another run may be writing. */
export function appBundle(app: AppName): Promise<string> {
	let bundle = bundles.get(app);
	if (bundle === undefined) {
		bundle = scratchDirectory().then((scratch) => bundleApp(join(APPS_DIRECTORY, app), join(scratch, `${app}.mjs`)));
		bundles.set(app, bundle);
	}
	return bundle;
}

export async function startApp(app: AppName, options: AppOptions): Promise<AppProcess> {
	const command = [
		process.execPath,
		...NODE_FLAGS,
		options.bundle ?? (await appBundle(app)),
		...(options.args ?? []),
	] as const;
	const directory = await scratchRoot();
	const [apiPort, healthPort, metricsPort] = await freePorts(3); // last: what is free now may be taken later
	const child = startOwnedProcess(directory, options.podName, command, {
		output: 'pipe',
		stdout: options.stdout,
		env: {
			PATH: process.env['PATH'],
			HOME: process.env['HOME'],
			POD_NAME: options.podName,
			POD_NAMESPACE: options.namespace,
			EXECUTION_NAMESPACE: executionNamespaceOf(options.namespace),
			KUBECONFIG: options.kubeconfig,
			API_PORT: String(apiPort),
			HEALTH_PORT: String(healthPort),
			METRICS_PORT: String(metricsPort),
			LISTEN_ADDRESS: '127.0.0.1',
			SHUTDOWN_DRAIN: '50ms',
			SHUTDOWN_GRACE: '60s', // nothing is cut off because this machine is slow
			...options.env,
		},
	});
	const lines: string[] = [];
	for (const input of [child.stdout, child.stderr])
		if (input !== null) createInterface({ input }).on('line', (line) => lines.push(line));
	const exited = new Promise<number | NodeJS.Signals>((resolve) =>
		child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
	);
	const healthUrl = `http://127.0.0.1:${healthPort}`;
	return {
		podName: options.podName,
		pid: child.pid ?? -1,
		apiUrl: `http://127.0.0.1:${apiPort}`,
		healthUrl,
		metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
		output: () => lines,
		exited,
		waitUntilReady: (timeoutMs = READY_TIMEOUT_MS) => waitUntilReady(app, healthUrl, child, lines, timeoutMs),
		signal: (name) => void child.kill(name),
		pause: () => pauseProcess(child.pid ?? -1),
		closeOutput: () => void [child.stdout, child.stderr].map((output) => output?.destroy()),
		stop: () => {
			child.kill('SIGTERM');
			return exited;
		},
	};
}

async function waitUntilReady(
	app: AppName,
	healthUrl: string,
	child: ChildProcess,
	lines: string[],
	timeoutMs: number,
) {
	const deadline = performance.now() + timeoutMs;
	for (;;) {
		const signal = AbortSignal.timeout(timeoutMs);
		const answer = await fetch(`${healthUrl}/readyz`, { signal }).catch(() => undefined);
		if (answer?.status === 200) return;
		const end = child.exitCode ?? child.signalCode;
		if (end !== null || performance.now() > deadline) {
			const why = end === null ? 'was not ready in time' : `ended with ${end}`;
			throw new Error(`${app} ${why}: ${(await answer?.text()) ?? ''}\n${lines.slice(-15).join('\n')}`);
		}
		await delay(READY_POLL_MS);
	}
}
