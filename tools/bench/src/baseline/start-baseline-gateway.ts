// Replicas of the pattern that ours replaces, as processes of their own that end with the process that started them.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, type KubeApi, openOwnedDirectory } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit/apply';
import { serviceAccountKubeconfig } from '@kubernaut/testkit/service-account';
import { startOwnedProcess } from '@kubernaut/workspace/owned-processes';
import { baselineEnvironment } from './environment.ts';
import { untilAnswered } from './until-answered.ts';

export type BaselineGatewayOptions = {
	kubeconfig: string;
	/** Where its Leases and RemediationRequests live. */
	namespace: string;
	podName: string;
	/** Signals that waited for the lock are counted too (the ADR's picture), or only answered (the addendum's code). */
	countAfterWait?: boolean;
};

export type BaselineGateway = {
	/** Takes POST /api/v1/signals/prometheus, as the gateway does. */
	readonly url: string;
	stop(): Promise<void>;
};

export const BASELINE_USER_AGENT = 'adr-052-baseline';
const MAIN = join(dirname(fileURLToPath(import.meta.url)), 'main.ts');

export async function startBaselineGateway(options: BaselineGatewayOptions): Promise<BaselineGateway> {
	const { kubeconfig, namespace, podName, countAfterWait = true } = options;
	const [port] = await freePorts(1);
	const directory = await openOwnedDirectory();
	const environment = baselineEnvironment({
		port: port!,
		kubeconfig,
		namespace,
		podName,
		userAgent: BASELINE_USER_AGENT,
		countAfterWait,
	});
	const child = startOwnedProcess(directory.path, podName, [process.execPath, MAIN], {
		env: { PATH: process.env['PATH'], ...environment },
	});
	child.unref();
	const url = `http://127.0.0.1:${port}`;
	if (await untilAnswered(url, child)) return { url, stop: () => directory.close() };
	await directory.close();
	throw new Error(`the baseline's ${podName} did not start`);
}

/** A kubeconfig with the rights that the pattern needs: an identity like the gateway's, no administrator. */
export async function baselineKubeconfig(api: KubeApi, namespace: string, adminKubeconfig: string): Promise<string> {
	const name = 'adr-052-baseline';
	const path = await serviceAccountKubeconfig(api, namespace, name, adminKubeconfig);
	const rbac = 'rbac.authorization.k8s.io';
	const rule = (group: string, resource: string, verbs: string[]) => ({
		apiGroups: [group],
		resources: [resource],
		verbs,
	});
	await applyObject(api, {
		apiVersion: `${rbac}/v1`,
		kind: 'Role',
		metadata: { name, namespace },
		rules: [
			rule('kubernaut.ai', 'remediationrequests', ['get', 'list', 'create']),
			rule('kubernaut.ai', 'remediationrequests/status', ['update']),
			rule('coordination.k8s.io', 'leases', ['get', 'create', 'update', 'delete']),
		],
	});
	await applyObject(api, {
		apiVersion: `${rbac}/v1`,
		kind: 'RoleBinding',
		metadata: { name, namespace },
		roleRef: { apiGroup: rbac, kind: 'Role', name },
		subjects: [{ kind: 'ServiceAccount', name, namespace }],
	});
	return path;
}
