// A control plane from a container: k3s through testcontainers, where a Docker engine runs and can pull.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProgress } from '@kubernaut/workspace/progress';
import { AuditLog, auditFlags } from './audit-log.ts';

export type K3s = { kubeconfigPath: string; stop(): Promise<void> };
export type K3sResult = { k3s: K3s } | { problem: string };

export const K3S_IMAGE = 'rancher/k3s:v1.35.0-k3s1';
const AUDIT_MOUNT = '/kubernaut-audit';
const CGROUP_MOUNT = { source: '/sys/fs/cgroup', target: '/sys/fs/cgroup' } as const;

export async function startK3s(directory: string, options: { auditLog: boolean }): Promise<K3sResult> {
	// Loaded only when wanted: the two packages cost more than half a second.
	const { getContainerRuntimeClient } = await import('testcontainers');
	try {
		await getContainerRuntimeClient();
	} catch {
		return { problem: 'Docker: no engine answers' };
	}
	const image = process.env['KUBERNAUT_K3S_IMAGE'] ?? K3S_IMAGE;
	const progress = startProgress(`Starting ${image} in Docker`);
	try {
		const { K3sContainer } = await import('@testcontainers/k3s');
		const container = new K3sContainer(image);
		const command = ['server', '--disable=traefik,servicelb,metrics-server,local-storage,coredns'];
		if (options.auditLog) {
			// The files lie where we read them; k3s knows them by the mount. It runs as root: a file that it made would be
			// closed to us.
			writeFileSync(new AuditLog(directory).path, '');
			const flags = auditFlags(directory).map((flag) => flag.replace('--', '').replace(directory, AUDIT_MOUNT));
			command.push(...flags.map((flag) => `--kube-apiserver-arg=${flag}`));
			// Mounts replace those that K3sContainer has set, so its own are repeated.
			container.withBindMounts([CGROUP_MOUNT, { source: directory, target: AUDIT_MOUNT, mode: 'rw' }]);
		}
		const started = await container.withCommand(command).start();
		const kubeconfigPath = join(directory, 'kubeconfig');
		writeFileSync(kubeconfigPath, started.getKubeConfig(), { mode: 0o600 });
		progress.stop('done');
		return { k3s: { kubeconfigPath, stop: async () => void (await started.stop()) } };
	} catch (error) {
		progress.stop('failed');
		return { problem: `Docker: ${image} did not start: ${error instanceof Error ? error.message : String(error)}` };
	}
}
