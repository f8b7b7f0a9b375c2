import { adminApi, appKubeconfig, atTheEnd, createNamespace } from '@kubernaut/testkit';
import { expect, inject, it } from 'vitest';
import { createKubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { type LeaseObject, leasesPath } from '../src/kube/leases.ts';
import { toLease } from '../src/lock/lease-client.ts';
import { createExampleLock, incrementUnderLock, runAlone } from '../src/lock/lease-lock.example.ts';
import { LockLostError } from '../src/lock/lock-errors.ts';
import type { LockObserver } from '../src/lock/lock-ports.ts';

const SILENT: LockObserver = {
	attempted() {},
	acquired() {},
	contended() {},
	failed() {},
	released() {},
	releaseFailed() {},
	lost() {},
	swept() {},
	waiting() {},
};
const NEVER = new AbortController().signal;

async function replicas(count: number) {
	const api = adminApi();
	const namespace = await createNamespace(api, 'lock-example');
	const kubeconfig = await appKubeconfig(api, 'gateway', namespace, inject('controlPlane').kubeconfigPath);
	const kube = createKubeClient(loadKubeConfig(kubeconfig), 5000, { called() {} });
	atTheEnd(() => kube.close());
	const locks = Array.from({ length: count }, (_, n) => createExampleLock(kube, namespace, `replica-${n}`, SILENT));
	return { api, namespace, locks };
}

it('the example counts right when replicas increment one counter, with growing fencing tokens', async () => {
	const { api, namespace, locks } = await replicas(3);
	const tokens: bigint[] = [];
	let stored = 0;
	const counter = {
		read: async () => stored,
		async write(value: number, token: bigint) {
			await new Promise((resolve) => setImmediate(resolve)); // two at once would both have read the same number
			stored = value;
			tokens.push(token);
		},
	};
	const increments = locks.flatMap((lock) =>
		[0, 1, 2].map(() => runAlone(lock, 'shop/counter', (held) => incrementUnderLock(held, counter), NEVER)),
	);
	const values = await Promise.all(increments);
	expect(values.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
	expect(stored).toBe(9);
	expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
	await Promise.all(locks.map((lock) => lock.shutdown(5000)));
	const leases = await api.call('GET', leasesPath(namespace));
	expect(leases['items']).toEqual([]);
});

it('the example writes nothing when its lock is lost while it reads', async () => {
	const { api, namespace, locks } = await replicas(1);
	const [lock] = locks;
	if (lock === undefined) throw new Error('there is one');
	let written = false;
	const counter = {
		async read() {
			const path = `${leasesPath(namespace)}/${lock.leaseName('x')}`;
			const lease = await api.call('GET', path);
			const taken = { ...lease, spec: { ...lease['spec'], holderIdentity: 'other_1' } };
			lock.seen(toLease((await api.call('PUT', path, { body: taken })) as LeaseObject)); // as the watch does
			return 0;
		},
		async write() {
			written = true;
		},
	};
	const increment = runAlone(lock, 'x', (held) => incrementUnderLock(held, counter), NEVER);
	await expect(increment).rejects.toBeInstanceOf(LockLostError);
	expect(written).toBe(false);
});
