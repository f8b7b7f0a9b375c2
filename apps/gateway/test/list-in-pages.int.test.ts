// An API server that does not stream lists: the gateway reads them in small pages, and lives on as little memory.
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appKubeconfig, applyCrds, atTheEnd, createNamespace } from '@kubernaut/testkit';
import { expect, it } from 'vitest';
import { LONG, metric, startGateways } from './harness/gateways.ts';
import { storeRequests } from './harness/stored-requests.ts';

const REQUESTS = 130;
const BYTES = 188_000;
const PAGE_SIZE = 10;

it(`a server without streamed lists is read in pages of ${PAGE_SIZE} objects: ${REQUESTS} of ${BYTES} bytes, then every change`, async () => {
	// A cluster that was given by its kubeconfig has the settings of its owner.
	const { KUBERNAUT_TEST_KUBECONFIG: _, ...environment } = process.env;
	const controlPlane = await startControlPlane({ environment, apiServerArgs: ['--feature-gates=WatchList=false'] });
	atTheEnd(() => controlPlane.stop());
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	atTheEnd(() => api.close());
	await applyCrds(api);
	const namespace = await createNamespace(api, 'pages');
	await storeRequests(api, namespace, REQUESTS, BYTES);
	const kubeconfig = await appKubeconfig(api, 'gateway', namespace, controlPlane.kubeconfigPath);
	const adminKubeconfig = controlPlane.kubeconfigPath;
	const gateways = await startGateways(api, namespace, { count: 1, kubeconfig, adminKubeconfig });
	const gateway = gateways.processes[0]!;

	const pages = await metric(
		gateway,
		'gateway_api_requests_total{verb="list",resource="remediationrequests",code="2xx"}',
	);
	// Where the API server is not a process of ours, its flags are not either, and it streams.
	expect(pages).toBe(controlPlane.apiServer === undefined ? undefined : REQUESTS / PAGE_SIZE);
	const known = async () => (await (await fetch(`${gateway.healthUrl}/readyz`)).json()) as object;
	const listed = (count: number) =>
		expect.objectContaining({
			checks: expect.arrayContaining([expect.objectContaining({ message: `${count} requests` })]),
		});
	expect(await known()).toEqual(listed(REQUESTS));
	expect((await gateways.sendUntilStored(gateway, 'one-more')).status).toBe(201);
	await expect.poll(known, LONG).toEqual(listed(REQUESTS + 1));
});
