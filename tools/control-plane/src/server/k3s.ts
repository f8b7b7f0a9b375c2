// A control plane from a container: k3s through testcontainers, where a Docker engine runs and can pull.
// What removes the container: its stop; we, when an abort comes while it starts; and when we crash, Ryuk, a container of
// testcontainers that holds a connection to us and clears up some seconds after its end. Not guaranteed: where Ryuk is
// switched off (TESTCONTAINERS_RYUK_DISABLED), a crash leaves the container.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgress } from '@kubernaut/workspace/progress';
import { AuditLog, auditFlags } from './audit-log.ts';

type K3s = { kubeconfigPath: string; stop(): Promise<void> };
type K3sResult = { k3s: K3s } | { problem: string };

export const K3S_IMAGE = 'rancher/k3s:v1.35.0-k3s1';
const AUDIT_MOUNT = '/kubernaut-audit';
const CGROUP_MOUNT = { source: '/sys/fs/cgroup', target: '/sys/fs/cgroup' } as const;

type K3sOptions = {
	auditLog: boolean;
	/** Ends a pull at once. A start that has begun is waited for, some seconds, because it has to be stopped. */
	signal?: AbortSignal;
};

export async function startK3s(directory: string, { auditLog, signal }: K3sOptions): Promise<K3sResult> {
	// Loaded only when wanted: the two packages cost more than half a second.
	const { getContainerRuntimeClient, ImageName } = await import('testcontainers');
	const client = await unlessAborted(
		getContainerRuntimeClient().catch(() => undefined),
		signal,
	);
	if (client === undefined) return { problem: 'Docker: no engine answers' };
	const image = process.env['KUBERNAUT_K3S_IMAGE'] ?? K3S_IMAGE;
	const progress = startProgress(`Starting ${image} in Docker`);
	try {
		await unlessAborted(client.image.pull(ImageName.fromString(image)), signal);
		const { K3sContainer } = await import('@testcontainers/k3s');
		const container = new K3sContainer(image);
		const command = ['server', '--disable=traefik,servicelb,metrics-server,local-storage,coredns'];
		if (auditLog) {
			// The files lie where we read them; k3s knows them by the mount. It runs as root: a file that it made would be
			// closed to us.
			writeFileSync(new AuditLog(directory).path, '');
			const flags = auditFlags(directory).map((flag) => flag.replace('--', '').replace(directory, AUDIT_MOUNT));
			command.push(...flags.map((flag) => `--kube-apiserver-arg=${flag}`));
			// Mounts replace those that K3sContainer has set, so its own are repeated.
			container.withBindMounts([CGROUP_MOUNT, { source: directory, target: AUDIT_MOUNT, mode: 'rw' }]);
		}
		signal?.throwIfAborted();
		const started = await container.withCommand(command).start();
		if (signal?.aborted) await started.stop();
		signal?.throwIfAborted();
		const kubeconfigPath = join(directory, 'kubeconfig');
		writeFileSync(kubeconfigPath, started.getKubeConfig(), { mode: 0o600 });
		progress.stop('done');
		return { k3s: { kubeconfigPath, stop: async () => void (await started.stop()) } };
	} catch (error) {
		progress.stop(signal?.aborted ? 'interrupted' : 'failed');
		signal?.throwIfAborted();
		return { problem: `Docker: ${image} did not start: ${error instanceof Error ? error.message : String(error)}` };
	}
}

/** testcontainers knows no abort: what it was asked for goes on, until this process ends. */
function unlessAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
	return new Promise((resolve, reject) => {
		result.then(resolve, reject);
		signal?.throwIfAborted();
		signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
	});
}
