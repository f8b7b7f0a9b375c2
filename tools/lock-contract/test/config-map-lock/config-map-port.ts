// The ConfigMap lock, or a mutant of it, seen through the port of part one.
import type { LockPort } from '../../src/any-lock/lock-port.ts';
import type { LockModules } from '../../src/lease/lock-modules.ts';
import { REFERENCE } from '../../src/mutants/breed-mutant.ts';
import {
	type ConfigMap,
	ConfigMapLockClosedError,
	ConfigMapLockFault,
	configMapName,
	configMapsPath,
	FAULT_KINDS,
	type Kube,
	LABELS,
} from './config-map-lock.ts';
import { CONFIG_MAP_LOCKS, type ConfigMapLockName } from './config-map-mutants.ts';

export async function openPort(lock: unknown): Promise<LockPort> {
	const Lock = CONFIG_MAP_LOCKS[lock as ConfigMapLockName];
	// An app has a client of its own; any of them does.
	const { createKubeClient } = (await import(new URL('kube/kube.ts', REFERENCE).href)) as LockModules['kube'];
	const [selector] = Object.entries(LABELS).map(([label, value]) => encodeURIComponent(`${label}=${value}`));
	return {
		resource: { apiGroup: '', plural: 'configmaps' },
		verbs: ['create', 'get', 'delete'],
		LockFault: ConfigMapLockFault,
		LockClosedError: ConfigMapLockClosedError,
		faultKinds: FAULT_KINDS,
		inOwnProcess: { module: import.meta.url, argument: lock },
		start({ name, namespace, kubeConfig, requestTimeoutMs, observer }) {
			const connection = createKubeClient(kubeConfig, requestTimeoutMs, { called() {} });
			const kube = connection as unknown as Kube;
			return {
				lock: new Lock({ kube, namespace, podName: name, observer }),
				close: () => connection.close(),
			};
		},
		async plant({ admin, namespace }, key, holder) {
			const metadata = { name: configMapName(key), labels: LABELS };
			await admin.call('POST', configMapsPath(namespace), { body: { metadata, data: { holder, key } } });
		},
		async read({ admin, namespace }, key) {
			const { status, body } = await admin.send('GET', `${configMapsPath(namespace)}/${configMapName(key)}`);
			if (status === 404) return undefined;
			const { metadata, data } = body as ConfigMap;
			return { holder: data.holder, version: `${metadata.uid}/${metadata.resourceVersion}` };
		},
		async remove({ admin, namespace }, key) {
			await admin.call('DELETE', `${configMapsPath(namespace)}/${configMapName(key)}`);
		},
		async clear({ admin, namespace }) {
			await admin.call('DELETE', `${configMapsPath(namespace)}?labelSelector=${selector}`);
		},
	};
}
