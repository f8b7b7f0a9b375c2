// What TD-NOT-001 lists for its lock, on a real API server with the rights of rbac.yaml: contention, namespaces, and a right
// that is missing.
import { adminApi, appKubeconfig, atTheEnd, createNamespace, serviceAccountKubeconfig } from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { APP } from '../src/app.ts';
import { DistributedLock, type LockObserver } from '../src/distributed-lock.ts';
import { createKubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { createLeaseClient } from '../src/lock/lease-client.ts';
import { SYSTEM_CLOCK } from '../src/process/clock.ts';

const KEY = 'uid-1-slack';
const SILENT = new Proxy({} as LockObserver, { get: () => () => {} });

function lockOf(kubeconfig: string, namespace: string, podName: string): DistributedLock {
	const kube = createKubeClient(loadKubeConfig(kubeconfig), 9000, { called() {} });
	atTheEnd(() => kube.close());
	const lock = new DistributedLock({ podName }, createLeaseClient(kube, namespace, APP.name), SYSTEM_CLOCK, SILENT);
	atTheEnd(() => lock.shutdown(0));
	return lock;
}

describe('the delivery lock', () => {
	const namespaces: string[] = [];
	const kubeconfigs: string[] = [];
	beforeAll(async () => {
		const api = adminApi();
		for (let i = 0; i < 2; i++) {
			const namespace = await createNamespace(api, 'nr-lock');
			namespaces.push(namespace);
			kubeconfigs.push(await appKubeconfig(api, 'notification', namespace, inject('controlPlane').kubeconfigPath));
		}
	});
	const lock = (which: 0 | 1, podName: string) => lockOf(kubeconfigs[which] ?? '', namespaces[which] ?? '', podName);

	it('10 contenders for one key: 1 winner', async () => {
		const locks = Array.from({ length: 10 }, (_, i) => lock(0, `pod-${i}`));
		const results = await Promise.all(locks.map((one) => one.tryAcquire(KEY)));
		expect(results.filter(({ outcome }) => outcome === 'acquired')).toHaveLength(1);
	});

	it('of two namespaces does not conflict', async () => {
		const other = await lock(1, 'pod-0').tryAcquire(KEY);
		expect(other.outcome).toBe('acquired');
		expect((await lock(0, 'pod-x').tryAcquire(KEY)).outcome).toBe('contended');
	});

	it('without the right on Leases names the rule', async () => {
		const api = adminApi();
		const namespace = await createNamespace(api, 'nr-norights');
		const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
		await api.call('POST', path, { body: { metadata: { name: 'no-rights' } } });
		const kubeconfig = await serviceAccountKubeconfig(
			api,
			namespace,
			'no-rights',
			inject('controlPlane').kubeconfigPath,
		);
		await expect(lockOf(kubeconfig, namespace, 'pod-0').tryAcquire(KEY)).rejects.toThrow(
			/"apiGroups":\["coordination\.k8s\.io"\],"resources":\["leases"\],"verbs":\["create"\]/,
		);
	});
});
