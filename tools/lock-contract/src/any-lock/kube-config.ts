// Ways to an API server, and to servers that only look like one.
import type { AddressInfo, Server } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';

export function kubeConfigFrom(path: string): KubeConfig {
	const config = new KubeConfig();
	config.loadFromFile(path);
	return config;
}

/** The same cluster and user behind another address. */
export function kubeConfigBehind(path: string, server: string): KubeConfig {
	const direct = kubeConfigFrom(path);
	const [cluster, user] = [direct.getCurrentCluster(), direct.getCurrentUser()];
	if (cluster === null || user === null) throw new Error(`${path} names no cluster or no user`);
	const behind = new KubeConfig();
	behind.loadFromClusterAndUser({ ...cluster, server }, user);
	return behind;
}

export function kubeConfigOf(server: string): KubeConfig {
	const config = new KubeConfig();
	config.loadFromClusterAndUser({ name: 'x', server, skipTLSVerify: true }, { name: 'x' });
	return config;
}

/** Returns host and port. */
export async function listen(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
