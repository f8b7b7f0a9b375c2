// What all checks of one lock share: a namespace, the app's own rights, its connections.
import type { AuditLog, KubeApi } from '@kubernaut/control-plane';
import { adminApi, appKubeconfig, auditLog, createNamespace, serviceAccountKubeconfig } from '@kubernaut/testkit';
import { inject } from 'vitest';
import type { ContractKube, LockRooms } from './contract-types.ts';
import { eventually } from './patience.ts';

export type ExamSite = {
	readonly app: string;
	readonly rooms: LockRooms;
	readonly namespace: string;
	/** With the app's own rights. */
	readonly kubeconfig: string;
	readonly admin: KubeApi;
	readonly kube: ContractKube;
	/** Undefined where the API server keeps none that we can read. */
	readonly audit: AuditLog | undefined;
	/** A kubeconfig of somebody without any right. */
	stranger(): Promise<string>;
	close(): Promise<void>;
};

/** Only for what hangs: a rule about time limits sets its own. */
const REQUEST_TIMEOUT_MS = 30_000;

export async function openSite(app: string, rooms: LockRooms): Promise<ExamSite> {
	const { kubeconfigPath } = inject('controlPlane');
	const admin = adminApi();
	const namespace = await createNamespace(admin, `lock-${app}`);
	const kubeconfig = await appKubeconfig(admin, app, namespace, kubeconfigPath);
	const kube = connect(rooms, kubeconfig);
	await untilAllowed(kube, namespace);
	return {
		app,
		rooms,
		namespace,
		kubeconfig,
		admin,
		kube,
		audit: auditLog(),
		stranger: () => serviceAccountKubeconfig(admin, namespace, 'stranger', kubeconfigPath),
		close: () => kube.close(),
	};
}

/** The API server hears of the app's Role by a watch, a moment after it was stored. */
async function untilAllowed(kube: ContractKube, namespace: string): Promise<void> {
	const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	await eventually(() => kube.call({ verb: 'list', path, resource: 'leases', namespace }));
}

/** The same place for another lock. */
export function withRooms(site: ExamSite, rooms: LockRooms): ExamSite {
	const kube = connect(rooms, site.kubeconfig);
	return { ...site, rooms, kube, close: () => kube.close() };
}

export function connect(rooms: LockRooms, kubeconfig: string, requestTimeoutMs = REQUEST_TIMEOUT_MS): ContractKube {
	return rooms.kube.createKubeClient(rooms.kube.loadKubeConfig(kubeconfig), requestTimeoutMs, { called() {} });
}
