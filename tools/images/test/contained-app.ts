// An app in a container, held as the manifests hold its pod: read-only root, no capability, no new privileges. On the
// host's network, because the control plane of the tests listens on its loopback interface.
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@kubernaut/control-plane';
import { atTheEnd } from '@kubernaut/testkit';
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers';
import { docker } from '../src/docker.ts';

const KUBECONFIG = '/kubeconfig/config';
const READY_LIMIT_MS = 60_000;
const READY_POLL_MS = 10;

class HeldContainer extends GenericContainer {
	constructor(image: string) {
		super(image);
		this.hostConfig.ReadonlyRootfs = true;
	}
}

export type ContainedApp = {
	readonly id: string;
	readonly pid: number;
	readonly healthUrl: string;
	/** From the start of the process, as the engine has it, to the first 200 of /readyz. */
	readonly readyAfterMs: number;
	/** What it cost until then, whatever else the machine did. */
	readonly readyCpuMs: number;
	readonly container: StartedTestContainer;
};

export type ContainedOptions = { readonly image: string; readonly namespace: string; readonly kubeconfig: string };

export async function startContained({ image, namespace, kubeconfig }: ContainedOptions): Promise<ContainedApp> {
	const [api, health, metrics] = await freePorts(3);
	const container = await new HeldContainer(image)
		.withNetworkMode('host')
		.withDroppedCapabilities('ALL')
		.withSecurityOpt('no-new-privileges')
		.withBindMounts([{ source: readable(kubeconfig), target: KUBECONFIG, mode: 'ro' }])
		.withEnvironment({
			POD_NAME: 'contained-0',
			POD_NAMESPACE: namespace,
			EXECUTION_NAMESPACE: `${namespace}-workflows`,
			KUBECONFIG,
			LISTEN_ADDRESS: '127.0.0.1',
			API_PORT: String(api),
			HEALTH_PORT: String(health),
			METRICS_PORT: String(metrics),
		})
		.withAutoRemove(false)
		.withWaitStrategy(Wait.forLogMessage(/"msg":"/)) // a port of the host is not one of the container's: we ask ourselves
		.start();
	const id = container.getId();
	atTheEnd(() => docker(['rm', '--force', '--volumes', id]));
	const healthUrl = `http://127.0.0.1:${health}`;
	const readyAt = await readyTime(healthUrl, id);
	const { State } = await inspect(id);
	const readyCpuMs = cpuMs(State.Pid);
	return { id, pid: State.Pid, healthUrl, readyAfterMs: readyAt - Date.parse(State.StartedAt), readyCpuMs, container };
}

/** The 14th and 15th field of stat(5), in hundredths of a second; the second one, its name, is in brackets. */
function cpuMs(pid: number): number {
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
	return (Number(fields[11]) + Number(fields[12])) * 10;
}

export type Inspected = {
	State: { Pid: number; StartedAt: string; ExitCode: number; Status: string };
	Config: { User: string; Entrypoint: string[]; Labels: Record<string, string> };
};

export async function inspect(name: string): Promise<Inspected> {
	const [found] = JSON.parse(await docker(['inspect', name])) as Inspected[];
	if (found === undefined) throw new Error(`no ${name}`);
	return found;
}

async function readyTime(healthUrl: string, id: string): Promise<number> {
	for (const deadline = Date.now() + READY_LIMIT_MS; Date.now() < deadline; await delay(READY_POLL_MS)) {
		const answer = await fetch(`${healthUrl}/readyz`).catch(() => undefined);
		if (answer?.status === 200) return Date.now();
	}
	throw new Error(`not ready:\n${await docker(['logs', id])}`);
}

/** The kubeconfig of a test is its owner's alone; the app in the container is another user. */
function readable(file: string): string {
	const directory = mkdtempSync(join(tmpdir(), 'kubernaut-image-'));
	atTheEnd(() => rmSync(directory, { recursive: true }));
	chmodSync(directory, 0o755);
	const copy = join(directory, 'config');
	copyFileSync(file, copy);
	chmodSync(copy, 0o644);
	return copy;
}
