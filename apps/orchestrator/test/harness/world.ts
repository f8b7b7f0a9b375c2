// A namespace with real orchestrator processes in it, and waiting for what becomes of its objects. The executor is played
// by the test: it writes what an executor would into the status of WorkflowExecutions.
import { createHash, randomBytes } from 'node:crypto';
import type { KubeApi } from '@kubernaut/control-plane';
import { type AppProcess, adminApi, appKubeconfig, atTheEnd, createNamespace, startApp } from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import { LOCK_PREFIX } from '../../src/distributed-lock.ts';
import type { NotificationRequest } from '../../src/generated/notification-request.ts';
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import type { RemediationWorkflow } from '../../src/generated/remediation-workflow.ts';
import type { WorkflowExecution } from '../../src/generated/workflow-execution.ts';
import type { BlockReason, Phase } from '../../src/objects/remediation.ts';
import { eventually } from './eventually.ts';
import { type RequestHistory, recordRequests } from './request-history.ts';
import { StoredObjects } from './stored-objects.ts';

type Env = Readonly<Record<string, string>>;

// A start takes long when many start together on a small machine.
const START_LIMIT_MS = 120_000;
/** A call that takes long on a busy machine is still a call; an Event, for one, is not written a second time. */
const PATIENT_CALLS = { KUBERNETES_REQUEST_TIMEOUT: '9s' } as const;
const MARKER = 'Marker';
/** Of requests that are made only to be seen through. */
export const MARKER_WORKFLOW = 'marker';

/** Leases short enough to wait for. */
export const SHORT_LEASE = { LOCK_LEASE_DURATION: '4s', KUBERNETES_REQUEST_TIMEOUT: '800ms' } as const;

export class World extends StoredObjects {
	readonly kubeconfig: string;
	readonly processes: AppProcess[] = [];
	/** Absent where the API server itself goes away. */
	readonly #history: RequestHistory | undefined;
	/** The version that was read last, by name. */
	readonly #readUpTo = new Map<string, bigint>();
	readonly #env: Env;

	constructor(api: KubeApi, namespace: string, kubeconfig: string, env: Env, history?: RequestHistory) {
		super(api, namespace);
		this.#history = history;
		this.kubeconfig = kubeconfig;
		this.#env = env;
	}

	async start(podName: string, env: Env = {}, kubeconfig = this.kubeconfig): Promise<AppProcess> {
		const { namespace } = this;
		const running = await startApp('orchestrator', { kubeconfig, namespace, podName, env: { ...this.#env, ...env } });
		this.processes.push(running);
		await running.waitUntilReady(START_LIMIT_MS);
		return running;
	}

	async startSeveral(count: number): Promise<AppProcess[]> {
		return Promise.all(Array.from({ length: count }, (_, i) => this.start(`orchestrator-${i}`)));
	}

	async stop(): Promise<void> {
		for (const { signal } of this.processes) signal('SIGCONT'); // a stopped process would not stop
		await Promise.all(this.processes.map((running) => running.stop()));
		await this.#history?.stop();
	}

	async request(name: string): Promise<RemediationRequest> {
		const found = await this.findRequest(name);
		expect(found, `${name} does not exist`).toBeDefined();
		return this.#read(found as RemediationRequest);
	}

	/** Waits until the request is in the phase, or blocked for the reason, or was since it was last read; gives it so. */
	async until(name: string, phaseOrReason: Phase | BlockReason): Promise<RemediationRequest> {
		const found = await eventually(
			async () => {
				const seen = this.#sinceRead(name).find((version) => stateOf(version) === phaseOrReason);
				return seen ?? this.findRequest(name); // a request that was removed meanwhile is in the history
			},
			(request) => expect(request === undefined ? 'not there' : stateOf(request)).toBe(phaseOrReason),
		);
		return this.#read(found as RemediationRequest);
	}

	/**
	 * As it was when it was blocked for the reason, after it was last read. Undefined when it went on without, because it
	 * was first reconciled when the block would have been over.
	 */
	async untilBlocked(
		request: RemediationRequest,
		reason: BlockReason,
		overAt: number,
	): Promise<RemediationRequest | undefined> {
		const { name } = request.metadata;
		const ends: readonly (string | undefined)[] = [reason, 'Executing', 'Completed'];
		const found = await eventually(
			async () => this.#sinceRead(name, 1n).find((version) => ends.includes(stateOf(version))),
			(version) => expect(version, `${name} went nowhere and is not ${reason}`).toBeDefined(),
		);
		if (stateOf(found as RemediationRequest) === reason) return this.#read(found as RemediationRequest);
		const wentOnAt = found?.status.completedAt ?? (await this.executionOf(request)).metadata.creationTimestamp;
		// These times are whole seconds, rounded down.
		expect(Date.parse(wentOnAt) + 1000, `${name} went on too early`).toBeGreaterThan(overAt);
		return undefined;
	}

	/** All its versions from the one that is given on. */
	async versionsSince({ metadata }: RemediationRequest): Promise<RemediationRequest[]> {
		await this.#history?.caughtUp();
		return this.#history?.since(metadata.name, BigInt(metadata.resourceVersion)) ?? [];
	}

	/** The one execution that was made for it and was not skipped. */
	async executionOf(request: RemediationRequest): Promise<WorkflowExecution> {
		const ours = await this.#madeFor(request);
		expect(ours).toHaveLength(1);
		return ours[0] as WorkflowExecution;
	}

	/** Executing, by the one execution that it names. */
	async untilExecuting(request: RemediationRequest): Promise<WorkflowExecution> {
		const { made: execution } = await eventually(
			async () => {
				const { status } = await this.request(request.metadata.name);
				const [made] = status.overallPhase === 'Executing' ? await this.#madeFor(request) : [];
				return { status, made };
			},
			({ status, made }) =>
				expect(status).toMatchObject({
					overallPhase: 'Executing',
					workflowExecutionRef: { uid: made?.metadata.uid ?? 'of one that was made' },
				}),
		);
		return execution as WorkflowExecution;
	}

	/** Its NotificationRequests, once it names so many. */
	async notified(request: RemediationRequest, times: number): Promise<NotificationRequest[]> {
		const { name, uid } = request.metadata;
		await eventually(
			() => this.request(name),
			({ status }) => expect(status.notificationRequestRefs ?? []).toHaveLength(times),
		);
		return (await this.notifications()).filter(({ spec }) => spec.remediationRequestRef?.uid === uid);
	}

	/**
	 * The replicas have worked through something that came later, by every watch: requests, an approval, executions. Their
	 * work on what was before is done. (That something is not done shows only then.)
	 */
	async afterwards(): Promise<void> {
		// More than replicas, so that each has its part in it.
		await Promise.all(Array.from({ length: 2 * this.processes.length }, () => this.#seeThrough()));
	}

	createMarkerWorkflow(): Promise<RemediationWorkflow> {
		return this.createWorkflow(MARKER_WORKFLOW, { signalNames: [MARKER], mode: 'Approval', cooldown: '0s' });
	}

	/** Whether no replica writes to it any more. */
	async isSettled(name: string): Promise<boolean> {
		const { metadata } = await this.request(name);
		await this.afterwards();
		return (await this.request(name)).metadata.resourceVersion === metadata.resourceVersion;
	}

	async #seeThrough(): Promise<void> {
		const target = `marker/Pod/${randomBytes(6).toString('hex')}`;
		const request = await this.createRequest({ target, signalName: MARKER });
		await this.notified(request, 1);
		await this.decide(request, 'Approved');
		await this.endExecution((await this.untilExecuting(request)).metadata.name, 'Completed');
		await this.notified(request, 2);
	}

	/** With the version that was read last, or only those that are newer by so many. */
	#sinceRead(name: string, newerBy = 0n): RemediationRequest[] {
		return this.#history?.since(name, (this.#readUpTo.get(name) ?? 0n) + newerBy) ?? [];
	}

	#read(request: RemediationRequest): RemediationRequest {
		const { name, resourceVersion } = request.metadata;
		this.#readUpTo.set(name, BigInt(resourceVersion));
		return request;
	}

	async #madeFor({ metadata }: RemediationRequest): Promise<WorkflowExecution[]> {
		return (await this.executions()).filter(
			({ spec, status }) => spec.remediationRequestRef.uid === metadata.uid && status?.phase !== 'Skipped',
		);
	}
}

function stateOf({ status }: RemediationRequest): Phase | BlockReason | undefined {
	return status.overallPhase === 'Blocked' ? status.blockReason : status.overallPhase;
}

/**
 * Stopped and removed when the test file ends. What is prepared, every process knows from its start; what is made later,
 * it may learn of only after what was made after that: each kind has a watch of its own.
 */
export async function openWorld(
	prefix: string,
	replicas: number,
	env: Env = {},
	prepare: (world: World) => Promise<unknown> = async () => {},
): Promise<World> {
	const api = adminApi();
	const namespace = await createNamespace(api, prefix);
	const { kubeconfigPath } = inject('controlPlane');
	const kubeconfig = await appKubeconfig(api, 'orchestrator', namespace, kubeconfigPath);
	const history = await recordRequests(namespace, kubeconfigPath);
	const world = new World(api, namespace, kubeconfig, { ...PATIENT_CALLS, ...env }, history);
	atTheEnd(() => world.stop());
	await world.createMarkerWorkflow();
	await prepare(world);
	await world.startSeveral(replicas);
	return world;
}

/** Of the lock of a target. */
export function leaseNameOf(target: string): string {
	return LOCK_PREFIX + createHash('sha256').update(target).digest('hex').slice(0, 32);
}
