// Everything that the checks of one lock share: a namespace, the app's own rights, an administrator.
import type { KubeApi } from '@kubernaut/control-plane';
import { adminApi, appKubeconfig, applyObject, createNamespace, serviceAccountKubeconfig } from '@kubernaut/testkit';
import { inject } from 'vitest';
import { eventually } from '../patience.ts';
import { kubeConfigFrom } from './kube-config.ts';
import type { LockPort } from './lock-port.ts';
import { RecordedObserver } from './recorded-observer.ts';

export type LockSite = {
	readonly app: string;
	readonly port: LockPort;
	readonly namespace: string;
	/** With the app's own rights. */
	readonly kubeconfig: string;
	readonly admin: KubeApi;
	/** A kubeconfig without any right. */
	stranger(): Promise<string>;
	close(): Promise<void>;
};

/** Only for calls that hang: a rule about time limits sets its own. */
export const REQUEST_TIMEOUT_MS = 30_000;

export async function openLockSite(app: string, port: LockPort): Promise<LockSite> {
	const { kubeconfigPath } = inject('controlPlane');
	const admin = adminApi();
	const namespace = await createNamespace(admin, `lock-${app}`);
	if (port.verbs !== undefined) await grant(admin, app, namespace, port.resource, port.verbs);
	const kubeconfig = await (port.verbs === undefined ? appKubeconfig : serviceAccountOf)(
		admin,
		app,
		namespace,
		kubeconfigPath,
	);
	await untilAllowed(port, namespace, kubeconfig);
	return {
		app,
		port,
		namespace,
		kubeconfig,
		admin,
		stranger: () => serviceAccountKubeconfig(admin, namespace, 'stranger', kubeconfigPath),
		close: async () => {},
	};
}

/** The API server sees a new Role by a watch, a moment after it was stored. */
async function untilAllowed(port: LockPort, namespace: string, kubeconfig: string): Promise<void> {
	const { lock, close } = port.start({
		name: 'first',
		namespace,
		kubeConfig: kubeConfigFrom(kubeconfig),
		requestTimeoutMs: REQUEST_TIMEOUT_MS,
		observer: new RecordedObserver(),
	});
	try {
		await eventually(() => lock.inspect('is the Role known?'));
	} finally {
		await lock.shutdown(0);
		await close();
	}
}

function serviceAccountOf(admin: KubeApi, app: string, namespace: string, adminKubeconfig: string): Promise<string> {
	return serviceAccountKubeconfig(admin, namespace, app, adminKubeconfig);
}

async function grant(
	admin: KubeApi,
	app: string,
	namespace: string,
	{ apiGroup, plural }: LockPort['resource'],
	verbs: readonly string[],
): Promise<void> {
	const rbac = 'rbac.authorization.k8s.io';
	const metadata = { name: app, namespace };
	await applyObject(admin, {
		apiVersion: `${rbac}/v1`,
		kind: 'Role',
		metadata,
		rules: [{ apiGroups: [apiGroup], resources: [plural], verbs }],
	});
	await applyObject(admin, {
		apiVersion: `${rbac}/v1`,
		kind: 'RoleBinding',
		metadata,
		roleRef: { apiGroup: rbac, kind: 'Role', name: app },
		subjects: [{ kind: 'ServiceAccount', name: app, namespace }],
	});
}
