// A Lease lock seen through the port of part one.
import type { AdminAccess, LockPort, PodOptions } from '../any-lock/lock-port.ts';
import { RecordedObserver } from '../any-lock/recorded-observer.ts';
import { loadLock } from './load-modules.ts';
import type { ContractLockOptions, LockModules } from './lock-modules.ts';
import { LEASES, type RawLease } from './raw-lease.ts';
import { REAL_CLOCK } from './real-clock.ts';

type Modules = Pick<LockModules, 'lock' | 'client' | 'kube' | 'directories'> & Partial<Pick<LockModules, 'metrics'>>;
type LockTimes = Partial<Omit<ContractLockOptions, 'prefix' | 'podName'>>;
type PortArgument = { readonly app: string; readonly lock: string; readonly others: string; readonly times: LockTimes };

export function leasePort(app: string, modules: Modules, times: LockTimes = {}): LockPort {
	const { DistributedLock, LOCK_PREFIX, LockFault, LockClosedError, LOCK_FAULTS } = modules.lock;
	const { directories, metrics } = modules;

	const create = ({ name, namespace, kubeConfig, requestTimeoutMs, observer }: PodOptions) => {
		const kube = modules.kube.createKubeClient(kubeConfig, requestTimeoutMs, { called() {} });
		const client = modules.client.createLeaseClient(kube, namespace, app);
		const lock = new DistributedLock({ prefix: LOCK_PREFIX, podName: name, ...times }, client, REAL_CLOCK, observer);
		return { lock, close: () => kube.close() };
	};
	/** Acquires nothing: only the lock itself knows the name that it gives to a key. */
	const naming = new DistributedLock(
		{ prefix: LOCK_PREFIX, podName: 'naming' },
		{} as never,
		REAL_CLOCK,
		new RecordedObserver(),
	);
	const path = ({ namespace }: AdminAccess, key: string) => `${LEASES(namespace)}/${naming.leaseName(key)}`;

	return {
		resource: { apiGroup: 'coordination.k8s.io', plural: 'leases' },
		LockFault,
		LockClosedError,
		faultKinds: LOCK_FAULTS,
		start: create,
		inOwnProcess: {
			module: import.meta.url,
			argument: { app, lock: directories.lock.href, others: directories.others.href, times } satisfies PortArgument,
		},
		async plant(access, key, holder) {
			const name = naming.leaseName(key);
			const spec = { holderIdentity: holder, leaseDurationSeconds: 30 };
			await access.admin.call('POST', LEASES(access.namespace), { body: { metadata: { name }, spec } });
		},
		async read(access, key) {
			const { status, body } = await access.admin.send('GET', path(access, key));
			if (status === 404) return undefined;
			const { metadata, spec } = body as RawLease;
			return { holder: spec.holderIdentity ?? '', version: `${metadata.uid}/${metadata.resourceVersion}` };
		},
		async remove(access, key) {
			await access.admin.call('DELETE', path(access, key));
		},
		async clear({ admin, namespace }) {
			await admin.call('DELETE', LEASES(namespace));
		},
		...(metrics === undefined ? {} : { createMetrics: () => metrics.createMetrics() }),
	};
}

/** The same port in another process. */
export async function openPort(argument: unknown): Promise<LockPort> {
	const { app, lock, others, times } = argument as PortArgument;
	const directories = { lock: new URL(lock), others: new URL(others) };
	return leasePort(app, { directories, ...(await loadLock(directories)) }, times);
}
