// A Docker engine for one run, on a Debian where this process is root: from Debian's package, with its own data, state and
// socket. It ends with us, and what it (and the kubelets in it) changed on the host is put back.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openOwnedDirectory } from '@kubernaut/control-plane';
import { logFile, startOwnedProcess } from '@kubernaut/workspace/owned-processes';
import { startProgress } from '@kubernaut/workspace/progress';
import { tryProgram } from '../run-program.ts';
import { machineLacksCapabilities, writeCapabilityRuntime } from './capability-runtime.ts';
import { installPackages } from './debian-packages.ts';
import type { DockerEngine } from './docker-engine.ts';
import { recordHostState, restoreHostState } from './host-state.ts';

const READY_TIMEOUT_MS = 60_000;
const POLL_MS = 250;
const SHOWN_LOG_LINES = 15;
const RUNC = '/usr/sbin/runc';
/** Of Debian's docker.io and containerd: an engine of the machine, which is not ours to start. */
const UNITS = ['docker.service', 'docker.socket', 'containerd.service'];

/** Why none can be started here; undefined when it can. */
export function ownEngineProblem(): string | undefined {
	if (process.platform !== 'linux') return 'only on Linux is one started for the run';
	if (process.getuid?.() !== 0) return 'this process is not root';
	if (!existsSync('/etc/debian_version')) return 'this is not a Debian, whose package docker.io would be used';
	return undefined;
}

export async function startOwnEngine(
	directory: string,
	{ signal }: { signal?: AbortSignal } = {},
): Promise<DockerEngine> {
	const aborting = signal && { signal };
	await installPackages(['docker.io', 'iptables', 'iproute2'], 'dockerd', { units: UNITS, ...aborting });
	await installPackages(['docker-cli'], 'docker', aborting); // a package of its own since Debian 13
	mkdirSync(directory, { recursive: true });
	const stateFile = join(directory, 'host-before.json');
	await recordHostState(stateFile);
	const running = await openOwnedDirectory(); // dockerd ends with this process, however it ends
	const socket = join(directory, 'docker.sock');
	const execRoot = join(directory, 'run'); // not in the owned directory: what is mounted there could not be removed with it
	const environment = { ...process.env, DOCKER_HOST: `unix://${socket}` };
	const stop = async () => {
		try {
			await running.close(); // dockerd stops its containers first
			await removeRunDirectory(execRoot);
			rmSync(socket, { force: true });
		} finally {
			for (const problem of await restoreHostState(stateFile)) console.error(problem);
		}
	};
	const progress = startProgress('Starting a Docker engine for this run');
	try {
		rmSync(socket, { force: true });
		await removeRunDirectory(execRoot); // of a run that was killed
		const runtime = machineLacksCapabilities() ? writeCapabilityRuntime(directory, RUNC) : undefined;
		const child = startOwnedProcess(running.path, 'dockerd', [
			'dockerd',
			`--data-root=${join(directory, 'data')}`,
			`--exec-root=${execRoot}`,
			`--pidfile=${join(running.path, 'dockerd.pid')}`,
			`--host=unix://${socket}`,
			'--storage-driver=overlay2',
			'--shutdown-timeout=5', // containers end with it, also when our own end leaves it little time
			...(runtime ? [`--add-runtime=with-capabilities=${runtime}`, '--default-runtime=with-capabilities'] : []),
		]);
		child.unref();
		const deadline = performance.now() + READY_TIMEOUT_MS;
		const ask = () => tryProgram(['docker', 'version', '--format', '{{.Server.Version}}'], { env: environment });
		let version = await ask();
		while (!version) {
			signal?.throwIfAborted();
			if (child.exitCode !== null || performance.now() > deadline) throw new Error(failure(running.path));
			await delay(POLL_MS);
			version = await ask();
		}
		progress.stop('done');
		return {
			description: `a Docker engine of our own for this run, version ${version}`,
			isOwn: true,
			environment,
			stop,
		};
	} catch (error) {
		progress.stop(signal?.aborted ? 'interrupted' : 'failed');
		await stop();
		throw error;
	}
}

/** dockerd leaves mounts of network namespaces behind when it has to end quickly. */
async function removeRunDirectory(path: string): Promise<void> {
	const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
		.split('\n')
		.map((line) => line.split(' ')[4] ?? '')
		.filter((point) => point.startsWith(`${path}/`));
	for (const point of mounts.toReversed()) await tryProgram(['umount', '--lazy', point]);
	rmSync(path, { recursive: true, force: true });
}

function failure(directory: string): string {
	const log = readFileSync(logFile(directory, 'dockerd'), 'utf8').trimEnd().split('\n');
	return `dockerd did not start. Its last lines:\n${log.slice(-SHOWN_LOG_LINES).join('\n')}`;
}
