// Where the contestants meet: one API server with its audit log, a namespace and an identity for each.
import { type AuditLog, type ControlPlane, KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { type AppProcess, appBundle, startApp } from '@kubernaut/testkit/app-process';
import { applyCrds, applyObject } from '@kubernaut/testkit/apply';
import { startDistantApiServer } from '@kubernaut/testkit/distant-api-server';
import { appKubeconfig, serviceAccountKubeconfig } from '@kubernaut/testkit/service-account';
import {
	BASELINE_USER_AGENT,
	type BaselineGateway,
	baselineKubeconfig,
	startBaselineGateway,
} from '../baseline/start-baseline-gateway.ts';
import { ApiFloor } from './api-floor.ts';
import { startBareHop } from './bare-hop.ts';
import { readIdentity } from './identity.ts';
import { SignalLoad } from './signal-load.ts';

export const REPLICAS = 3;
export const NO_AUDIT_LOG = 'The calls are counted from the audit log, which only a server of our own keeps for us.';
const OUR_USER_AGENT = 'kubernaut-gateway';

/** Replicas of one kind, the load on them, and how their calls are distinguished from others'. */
export type Contestant = {
	readonly load: SignalLoad;
	readonly namespace: string;
	readonly userAgent: string;
	stop(): Promise<void>;
};
export type Gateways = Contestant & { readonly replicas: readonly AppProcess[]; readonly startupMs: readonly number[] };

export class Arena {
	readonly api: KubeApi;
	readonly #auditLog: AuditLog | undefined;
	readonly #adminKubeconfig: string;
	readonly #stops: (() => Promise<unknown>)[] = [];

	/** On a control plane that the caller stops, after this was closed. */
	constructor({ auditLog, kubeconfigPath }: Pick<ControlPlane, 'auditLog' | 'kubeconfigPath'>) {
		this.api = KubeApi.fromFile(kubeconfigPath, 'kubernaut-bench');
		this.#auditLog = auditLog;
		this.#adminKubeconfig = kubeconfigPath;
		this.#stops.push(() => this.api.close());
	}

	/** On a control plane of its own. */
	static async open(report: (text: string) => void): Promise<Arena> {
		const controlPlane = await startControlPlane({ auditLog: true });
		report(controlPlane.description);
		const arena = new Arena(controlPlane);
		arena.#stops.unshift(() => controlPlane.stop());
		try {
			if (!arena.countsCalls) throw new Error(NO_AUDIT_LOG);
			await applyCrds(arena.api);
			await appBundle('gateway');
			return arena;
		} catch (error) {
			await arena.close();
			throw error;
		}
	}

	get countsCalls(): boolean {
		return this.#auditLog !== undefined;
	}

	get auditLog(): AuditLog {
		if (this.#auditLog !== undefined) return this.#auditLog;
		throw new Error(NO_AUDIT_LOG);
	}

	async close(): Promise<void> {
		for (const stop of this.#stops.toReversed()) await stop();
	}

	/**
	 * Real processes with the rights that they have in a cluster, started one after the other. `lastIsFartherMs`: so much
	 * later the last one gets the API server's answers. `bundle`: of another version.
	 */
	async startGateways(
		namespace: string,
		count: number,
		{ lastIsFartherMs = 0, bundle }: { lastIsFartherMs?: number; bundle?: string } = {},
	): Promise<Gateways> {
		await this.ensureNamespace(namespace);
		const near = await appKubeconfig(this.api, 'gateway', namespace, this.#adminKubeconfig);
		const far = lastIsFartherMs === 0 ? near : await this.#fartherBy(lastIsFartherMs, near);
		const replicas: AppProcess[] = [];
		const startupMs: number[] = [];
		for (let i = 0; i < count; i++) {
			const startedAt = performance.now();
			const kubeconfig = i === count - 1 ? far : near;
			const replica = await startApp('gateway', { kubeconfig, namespace, podName: `${namespace}-${i}`, bundle });
			replicas.push(replica);
			await replica.waitUntilReady();
			startupMs.push(performance.now() - startedAt);
		}
		const token = await this.#senderToken(namespace);
		const load = new SignalLoad(
			replicas.map(({ apiUrl }) => apiUrl),
			token,
		);
		const stop = this.#stoppedOnce(load, replicas);
		return { replicas, startupMs, load, namespace, userAgent: OUR_USER_AGENT, stop };
	}

	async startBaseline(namespace: string, count: number, countAfterWait: boolean): Promise<Contestant> {
		await this.ensureNamespace(namespace);
		const kubeconfig = await baselineKubeconfig(this.api, namespace, this.#adminKubeconfig);
		const replicas: BaselineGateway[] = await Promise.all(
			Array.from({ length: count }, (_, i) =>
				startBaselineGateway({ kubeconfig, namespace, podName: `${namespace}-${i}`, countAfterWait }),
			),
		);
		const load = new SignalLoad(replicas.map(({ url }) => url));
		return { load, namespace, userAgent: BASELINE_USER_AGENT, stop: this.#stoppedOnce(load, replicas) };
	}

	/** Processes between the sender and the calls of the floor, as gateways are. */
	async startBareHops(namespace: string, count: number): Promise<Pick<Contestant, 'load'>> {
		await this.ensureNamespace(namespace);
		const kubeconfig = await appKubeconfig(this.api, 'gateway', namespace, this.#adminKubeconfig);
		const hops = await Promise.all(Array.from({ length: count }, () => startBareHop(kubeconfig, namespace)));
		const load = new SignalLoad(hops.map(({ url }) => url));
		this.#stoppedOnce(load, hops);
		return { load };
	}

	/** With the gateway's own identity, so that the API server does the same work for it. */
	async openFloor(namespace: string, connections: number): Promise<ApiFloor> {
		await this.ensureNamespace(namespace);
		const kubeconfig = await appKubeconfig(this.api, 'gateway', namespace, this.#adminKubeconfig);
		const floor = new ApiFloor(readIdentity(kubeconfig), namespace, connections);
		this.#stops.push(() => floor.close());
		return floor;
	}

	async #fartherBy(latencyMs: number, kubeconfig: string): Promise<string> {
		const distant = await startDistantApiServer(kubeconfig, latencyMs);
		this.#stops.push(() => distant.stop());
		return distant.kubeconfig;
	}

	#stoppedOnce(load: SignalLoad, replicas: readonly { stop(): Promise<unknown> }[]): () => Promise<void> {
		let stopped: Promise<void> | undefined;
		const stop = () =>
			(stopped ??= (async () => {
				await load.close();
				await Promise.all(replicas.map((replica) => replica.stop()));
			})());
		this.#stops.push(stop);
		return stop;
	}

	async ensureNamespace(name: string): Promise<void> {
		await applyObject(this.api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
	}

	/** Of a ServiceAccount that may do what the gateway asks of a sender: create RemediationRequests. */
	async #senderToken(namespace: string): Promise<string> {
		const name = 'sender';
		const rbac = 'rbac.authorization.k8s.io';
		const kubeconfig = await serviceAccountKubeconfig(this.api, namespace, name, this.#adminKubeconfig);
		const rule = { apiGroups: ['kubernaut.ai'], resources: ['remediationrequests'], verbs: ['create'] };
		await applyObject(this.api, {
			apiVersion: `${rbac}/v1`,
			kind: 'Role',
			metadata: { name, namespace },
			rules: [rule],
		});
		await applyObject(this.api, {
			apiVersion: `${rbac}/v1`,
			kind: 'RoleBinding',
			metadata: { name, namespace },
			roleRef: { apiGroup: rbac, kind: 'Role', name },
			subjects: [{ kind: 'ServiceAccount', name, namespace }],
		});
		return readIdentity(kubeconfig).token;
	}
}
