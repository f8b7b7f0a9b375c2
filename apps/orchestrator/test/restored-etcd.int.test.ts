// etcd is restored from a backup under running orchestrators: versions go back, objects that were made since are gone, and
// objects that ended since have not ended. The replicas, which are not restarted, take the older truth.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlPlane, KubeApi, partSwitch, startControlPlane } from '@kubernaut/control-plane';
import { appKubeconfig, applyCrds } from '@kubernaut/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nameOf } from './harness/objects.ts';
import { World } from './harness/world.ts';

const REPLICAS = 3;
const NAMESPACE = 'restored';
let controlPlane: ControlPlane;
let world: World;

beforeAll(async () => {
	controlPlane = await startControlPlane();
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	await applyCrds(api);
	await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: NAMESPACE } } });
	const kubeconfig = await appKubeconfig(api, 'orchestrator', NAMESPACE, controlPlane.kubeconfigPath);
	world = new World(api, NAMESPACE, kubeconfig, {});
	await world.createWorkflow('restart');
	await world.startSeveral(REPLICAS);
}, 1_800_000);

afterAll(async () => {
	await world?.stop();
	await world?.api.close();
	await controlPlane?.stop();
});

/** What is done with the files of etcd while it and the API server are stopped. */
async function withEtcdStopped(act: (data: string) => void): Promise<void> {
	const { directory, apiServer } = controlPlane;
	if (directory === undefined || apiServer === undefined) throw new Error('etcd is restored only where it is ours');
	const etcd = partSwitch(directory, 'etcd');
	await apiServer.stop('SIGKILL');
	await etcd.stop('SIGTERM');
	act(join(directory, 'etcd'));
	await etcd.start();
	await apiServer.start();
}

it('after a restore of etcd the replicas take the older truth, without a restart', async () => {
	const running = await world.createRequest({ target: 'shop/Deployment/running' });
	const execution = await world.untilExecuting(running);
	const backup = join(controlPlane.directory!, 'backup');
	await withEtcdStopped((data) => cpSync(data, backup, { recursive: true }));

	await world.endExecution(nameOf(execution), 'Completed');
	await world.until(nameOf(running), 'Completed');
	const lost = await world.createRequest({ target: 'shop/Deployment/free-again' });
	await world.untilExecuting(lost);

	await withEtcdStopped((data) => {
		rmSync(data, { recursive: true });
		cpSync(backup, data, { recursive: true });
	});
	// They may hold newer versions of both: of one that has not ended, and of one that does not exist.
	expect((await world.request(nameOf(running))).status.overallPhase).toBe('Executing');
	const next = await world.createRequest({ target: 'shop/Deployment/free-again' });
	await world.untilExecuting(next);
	await world.endExecution(nameOf(execution), 'Failed');
	await world.until(nameOf(running), 'Failed');
	expect(await world.executions()).toHaveLength(2);
	for (const replica of world.processes) await replica.waitUntilReady(60_000);
});
