// A control plane of its own whose API server can go away and come back while its data stays.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeApi, type PartSwitch, startControlPlane } from '@kubernaut/control-plane';
import { applyCrds, atTheEnd, scratchDirectory, startRelay } from '@kubernaut/testkit';

export type Outage = PartSwitch & {
	/** An administrator's. */
	readonly api: KubeApi;
	readonly adminKubeconfig: string;
	/** A kubeconfig for the processes that the outage concerns. */
	exposed(kubeconfig: string): Promise<string>;
};

export async function prepareOutage(): Promise<Outage> {
	// A cluster that was given by its kubeconfig is not ours to stop.
	const { KUBERNAUT_TEST_KUBECONFIG: _, ...environment } = process.env;
	// On SIGTERM it waits for open watches as long as for requests: the default of a minute is too long for a test.
	const controlPlane = await startControlPlane({ environment, apiServerArgs: ['--request-timeout=5s'] });
	atTheEnd(() => controlPlane.stop());
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	atTheEnd(() => api.close());
	await applyCrds(api);
	const own = { api, adminKubeconfig: controlPlane.kubeconfigPath };
	if (controlPlane.apiServer !== undefined)
		return { ...own, ...controlPlane.apiServer, exposed: async (kubeconfig) => kubeconfig };
	return { ...own, ...(await networkSwitch(api.server)) };
}

/** In a container the API server is no process that we could signal: there the network to it goes away. */
async function networkSwitch(server: string): Promise<PartSwitch & Pick<Outage, 'exposed'>> {
	const target = new URL(server);
	const relay = await startRelay(target);
	atTheEnd(() => relay.close());
	return {
		stop: async () => relay.off(),
		start: async () => relay.on(),
		pause: async () => relay.off(),
		resume: () => relay.on(),
		async exposed(kubeconfig) {
			const path = join(await scratchDirectory(), 'kubeconfig');
			writeFileSync(path, readFileSync(kubeconfig, 'utf8').replace(target.host, `127.0.0.1:${relay.port}`));
			return path;
		},
	};
}
