// Several real gateway processes with pod names of their own, a sender that behaves like Alertmanager, and typed readers
// of the objects on the API server.
import { setTimeout as delay } from 'node:timers/promises';
import { type KubeApi, MERGE_PATCH } from '@kubernaut/control-plane';
import {
	type AppProcess,
	appKubeconfig,
	applyObject,
	atTheEnd,
	serviceAccountToken,
	startApp,
} from '@kubernaut/testkit';
import { Agent, request } from 'undici';
import { inject } from 'vitest';
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import { type LeaseObject, leasesPath } from '../../src/kube/leases.ts';
import { isActive as isActiveLink, toLink, totalOf } from '../../src/objects/request-link.ts';
import { requestsPath } from '../../src/objects/request-store.ts';
import { PROMETHEUS } from '../http/routes.ts';
import { type AlertStatus, type AlertTimes, fingerprintOf, leaseNameOf, webhook } from './alerts.ts';

export type Answer = {
	readonly status: number;
	readonly retryAfter: string | undefined;
	readonly body: {
		status?: string;
		duplicate?: boolean;
		remediationRequestName?: string;
		occurrenceCount?: number;
		code?: string;
		detail?: string;
		[key: string]: unknown;
	};
};
/** The connection broke before the answer: a sender tries again. */
export type Lost = { readonly status: 'lost' };

export type SendOptions = AlertTimes & { readonly status?: AlertStatus; readonly abort?: AbortSignal };
export type GatewaysOptions = {
	readonly count?: number;
	readonly env?: Readonly<Record<string, string>>;
	/** RELAXED_LIMITS unless the test says otherwise. */
	readonly limits?: Readonly<Record<string, string>>;
	/** The gateways' own; default: made with the rights that the gateway has in a cluster. */
	readonly kubeconfig?: string;
	/** Default: of the control plane of this run. */
	readonly adminKubeconfig?: string;
};

/**
 * Limits that a busy machine does not reach; a test sets those that it is about. The times of a call and of a Lease, and
 * those of a request and of a shutdown, are as long as the app's own relations permit.
 */
export const RELAXED_LIMITS = {
	MAX_EVENT_LOOP_DELAY: '60s',
	RECEIVE_TIMEOUT: '40s',
	REQUEST_DEADLINE: '50s',
	KUBERNETES_REQUEST_TIMEOUT: '19s',
	LOCK_LEASE_DURATION: '60s',
} as const;
export const CALL_TIMEOUT_MS = 19_000;
export const REQUEST_DEADLINE_MS = 50_000;

/** Those of an installation that sets none. */
export const DEFAULT_LIMITS = {} as const;

/** A Lease that is short enough to wait for its end, and the longest call that it allows. */
export const SHORT_LEASE = { LOCK_LEASE_DURATION: '8s', KUBERNETES_REQUEST_TIMEOUT: '2100ms' } as const;
export const SHORT_LEASE_MS = 8000;
export const SHORT_LEASE_CALL_MS = 2100;

/** Of a poll: long enough for a busy machine, and soon done on a free one. */
export const LONG = { timeout: 30_000, interval: 20 } as const;

const READY_LIMIT_MS = 90_000;
const MAX_SENDS = 10;

export class Gateways {
	readonly kubeconfig: string;
	readonly processes: AppProcess[] = [];
	readonly #api: KubeApi;
	readonly #namespace: string;
	readonly #token: string;
	readonly #env: Readonly<Record<string, string>>;
	readonly #agent = new Agent({ connections: 400, pipelining: 1 });

	constructor(
		api: KubeApi,
		namespace: string,
		kubeconfig: string,
		token: string,
		env: Readonly<Record<string, string>>,
	) {
		this.#api = api;
		this.#namespace = namespace;
		this.kubeconfig = kubeconfig;
		this.#token = token;
		this.#env = env;
	}

	async start(
		podName: string,
		env: Readonly<Record<string, string>> = {},
		kubeconfig = this.kubeconfig,
	): Promise<AppProcess> {
		const options = {
			kubeconfig,
			namespace: this.#namespace,
			podName,
			env: { ...this.#env, ...env },
		};
		const running = await startApp('gateway', options);
		this.processes.push(running);
		await running.waitUntilReady(READY_LIMIT_MS);
		return running;
	}

	async stop(): Promise<void> {
		for (const { signal } of this.processes) signal('SIGCONT'); // one that is stopped would not stop
		await Promise.all(this.processes.map((running) => running.stop()));
		await this.#agent.destroy();
	}

	send(to: AppProcess, deployment: string, { status, abort, ...times }: SendOptions = {}): Promise<Answer> {
		return this.post(to, PROMETHEUS, webhook(deployment, status, times), abort);
	}

	/** Any body to any address, as a sender that may send. */
	async post(to: AppProcess, path: string, body: string, abort?: AbortSignal): Promise<Answer> {
		const answer = await request(`${to.apiUrl}${path}`, {
			method: 'POST',
			dispatcher: this.#agent,
			headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
			body,
			headersTimeout: 60_000,
			...(abort === undefined ? {} : { signal: abort }),
		});
		return {
			status: answer.statusCode,
			retryAfter: answer.headers['retry-after'] as string | undefined,
			body: (await answer.body.json()) as Answer['body'],
		};
	}

	async trySend(to: AppProcess, deployment: string, options?: SendOptions): Promise<Answer | Lost> {
		return this.send(to, deployment, options).catch(() => ({ status: 'lost' }) as const);
	}

	/** As Alertmanager does it: a 503 is followed by another try, after its Retry-After. */
	async sendUntilStored(to: AppProcess, deployment: string): Promise<Answer> {
		for (let sends = 1; ; sends++) {
			const answer = await this.send(to, deployment);
			if (answer.status !== 503 || sends === MAX_SENDS) return answer;
			const seconds = Number(answer.retryAfter);
			if (!(seconds >= 1)) throw new Error(`503 with Retry-After ${answer.retryAfter}`);
			await delay(seconds * 1000);
		}
	}

	/** A storm: each of the processes gets its share, all at once. */
	storm(count: number, deploymentOf: (i: number) => string, processes = this.processes): Promise<Answer[]> {
		return Promise.all(
			Array.from({ length: count }, (_, i) => this.send(processes[i % processes.length]!, deploymentOf(i))),
		);
	}

	/** The same of equal signals, each sent until it is stored. */
	stormUntilStored(count: number, deployment: string, processes: readonly AppProcess[]): Promise<Answer[]> {
		return Promise.all(
			Array.from({ length: count }, (_, i) => this.sendUntilStored(processes[i % processes.length]!, deployment)),
		);
	}

	/** Of a deployment, or of all; in the order of their chain. */
	async requests(deployment?: string): Promise<RemediationRequest[]> {
		const items = (await this.#api.call('GET', this.requestsPath))['items'] as RemediationRequest[];
		return items
			.filter(({ spec }) => deployment === undefined || spec.targetResource.name === deployment)
			.toSorted((a, b) => a.spec.chain - b.spec.chain);
	}

	get requestsPath(): string {
		return requestsPath(this.#namespace);
	}

	get leasesPath(): string {
		return leasesPath(this.#namespace);
	}

	async leases(): Promise<LeaseObject[]> {
		return (await this.#api.call('GET', this.leasesPath))['items'] as LeaseObject[];
	}

	/** Undefined when the lock is free. */
	async lease(deployment: string): Promise<LeaseObject | undefined> {
		const { status, body } = await this.#api.send('GET', `${this.leasesPath}/${leaseNameOf(deployment)}`);
		return status === 200 ? (body as LeaseObject) : undefined;
	}

	/** As the orchestrator does it. */
	async end({ metadata }: RemediationRequest): Promise<void> {
		const body = {
			status: { overallPhase: 'Completed', outcome: 'Remediated', completedAt: new Date().toISOString() },
		};
		const path = `${this.requestsPath}/${metadata.name}/status`;
		await this.#api.call('PATCH', path, { body, contentType: MERGE_PATCH });
	}
}

export async function startGateways(
	api: KubeApi,
	namespace: string,
	{ count = 3, env = {}, limits = RELAXED_LIMITS, kubeconfig, adminKubeconfig }: GatewaysOptions = {},
): Promise<Gateways> {
	const admin = adminKubeconfig ?? inject('controlPlane').kubeconfigPath;
	const own = kubeconfig ?? (await appKubeconfig(api, 'gateway', namespace, admin));
	const gateways = new Gateways(api, namespace, own, await createSender(api, namespace), { ...limits, ...env });
	atTheEnd(() => gateways.stop());
	await Promise.all(Array.from({ length: count }, (_, i) => gateways.start(`gateway-${i}`)));
	return gateways;
}

/** How many answers there were of each status. */
export function statuses(answers: readonly (Answer | Lost)[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
	return counts;
}

/** All that were counted, also those that the readable count does not show yet. */
export function occurrences(requests: readonly RemediationRequest[]): number[] {
	return requests.map((each) => totalOf(toLink(each)));
}

export function isActive(remediationRequest: RemediationRequest): boolean {
	return isActiveLink(toLink(remediationRequest));
}

/** Status of /readyz; undefined when the process does not answer any more. */
export async function readiness({ healthUrl }: AppProcess): Promise<number | undefined> {
	return (await fetch(`${healthUrl}/readyz`).catch(() => undefined))?.status;
}

/** HTTP requests that are handled at this moment. */
export function runningRequests(of: AppProcess): Promise<number | undefined> {
	return metric(of, 'gateway_requests_in_work');
}

/** One sample as Prometheus reads it, e.g. `gateway_lock_acquisition_failures_total{reason="api_error"}`. */
export async function metric(of: AppProcess, sample: string): Promise<number | undefined> {
	const lines = (await (await fetch(of.metricsUrl)).text()).split('\n');
	const line = lines.find((candidate) => candidate.startsWith(`${sample} `));
	return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

/** Lines of the log of a process, by their message. */
export function logged(of: AppProcess, message: string): Record<string, unknown>[] {
	return of
		.output()
		.map((line) => JSON.parse(line) as Record<string, unknown>)
		.filter(({ msg }) => msg === message);
}

/** The same, about the lock of this deployment. */
export function loggedOf(of: AppProcess, deployment: string, message: string): Record<string, unknown>[] {
	const fingerprint = fingerprintOf(deployment);
	return logged(of, message).filter(({ key }) => key === fingerprint);
}

/** How often the lock of this deployment was held by another pod. */
export function contentions(of: AppProcess, deployment: string): number {
	return loggedOf(of, deployment, 'lease held by another pod').length;
}

/** A ServiceAccount that may create RemediationRequests may send signals. */
async function createSender(api: KubeApi, namespace: string): Promise<string> {
	const rules = [{ apiGroups: ['kubernaut.ai'], resources: ['remediationrequests'], verbs: ['create'] }];
	const rbac = 'rbac.authorization.k8s.io';
	await applyObject(api, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'sender', namespace }, rules });
	await applyObject(api, {
		apiVersion: `${rbac}/v1`,
		kind: 'RoleBinding',
		metadata: { name: 'sender', namespace },
		roleRef: { apiGroup: rbac, kind: 'Role', name: 'sender' },
		subjects: [{ kind: 'ServiceAccount', name: 'sender', namespace }],
	});
	return serviceAccountToken(api, namespace, 'sender');
}
