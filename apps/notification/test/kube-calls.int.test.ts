import { adminApi, atTheEnd, createNamespace } from '@kubernaut/testkit';
import { inject } from 'vitest';
import { createKubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { describeKubeCalls } from './harness/kube-calls.ts';

describeKubeCalls('on a real API server', async () => {
	const api = adminApi();
	const namespace = await createNamespace(api, 'nr-calls');
	const kube = createKubeClient(loadKubeConfig(inject('controlPlane').kubeconfigPath), 9000, { called() {} });
	atTheEnd(() => kube.close());
	return { kube, namespace };
});
