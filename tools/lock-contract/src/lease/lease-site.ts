// Everything that the checks of one Lease lock share: the site of part one, the app's modules, a connection.
import type { AuditLog } from '@kubernaut/control-plane';
import { auditLog } from '@kubernaut/testkit';
import { type LockSite, openLockSite, REQUEST_TIMEOUT_MS } from '../any-lock/lock-site.ts';
import { leasePort } from './lease-port.ts';
import type { ContractKube, LockModules } from './lock-modules.ts';

export type LeaseSite = LockSite & {
	readonly modules: LockModules;
	readonly kube: ContractKube;
	/** Undefined where the API server keeps no log that we can read. */
	readonly audit: AuditLog | undefined;
};

export async function openLeaseSite(app: string, modules: LockModules): Promise<LeaseSite> {
	return withModules(await openLockSite(app, leasePort(app, modules)), modules);
}

/** The same namespace and rights for another lock. */
export function withModules(site: LockSite, modules: LockModules): LeaseSite {
	const kube = connect(modules, site.kubeconfig);
	const port = leasePort(site.app, modules);
	return { ...site, port, modules, kube, audit: auditLog(), close: () => kube.close() };
}

export function connect(modules: LockModules, kubeconfig: string): ContractKube {
	return modules.kube.createKubeClient(modules.kube.loadKubeConfig(kubeconfig), REQUEST_TIMEOUT_MS, { called() {} });
}
