// A namespace with real orchestrator processes in it, the objects that they work on, and what came of them. The
// executor is played by the test: it writes what an executor would into the status of WorkflowExecutions.
import { createHash, randomBytes } from 'node:crypto';
import { type KubeApi, type KubeObject, MERGE_PATCH } from '@kubernaut/control-plane';
import { type AppProcess, adminApi, appKubeconfig, atTheEnd, createNamespace, startApp } from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import { eventually } from './eventually.ts';
import {
	endedStatus,
	newApproval,
	newRequest,
	newWorkflow,
	type PastExecution,
	pastExecution,
	type RequestOptions,
	RUN,
	type WorkflowOptions,
} from './objects.ts';
import { type RequestHistory, recordRequests } from './request-history.ts';

export type SkipOptions = {
	readonly reason?: 'ResourceBusy' | 'RecentlyRemediated';
	readonly heldBy: string;
	readonly message?: string;
	readonly aheadMs: number;
};

const GROUP = '/apis/kubernaut.ai/v1alpha1';
// A start takes long when many start together on a small machine.
const START_LIMIT_MS = 120_000;
/** A call that takes long on a busy machine is still a call; an Event, for one, is not written a second time. */
const PATIENT_CALLS = { KUBERNETES_REQUEST_TIMEOUT: '9s' } as const;
const MARKER = 'Marker';
/** Of requests that are made only to be seen through. */
export const MARKER_WORKFLOW = 'marker';

/** Leases short enough to wait for. */
export const SHORT_LEASE = { LOCK_LEASE_DURATION: '4s', KUBERNETES_REQUEST_TIMEOUT: '800ms' } as const;

export class World {
	readonly api: KubeApi;
	readonly namespace: string;
	readonly kubeconfig: string;
	readonly processes: AppProcess[] = [];
	/** Absent where the API server itself goes away. */
	readonly #history: RequestHistory | undefined;
	/** The version that was read last, by name. */
	readonly #readUpTo = new Map<string, bigint>();
	readonly #env: Readonly<Record<string, string>>;

	constructor(
		api: KubeApi,
		namespace: string,
		kubeconfig: string,
		env: Readonly<Record<string, string>>,
		history?: RequestHistory,
	) {
		this.api = api;
		this.#history = history;
		this.namespace = namespace;
		this.kubeconfig = kubeconfig;
		this.#env = env;
	}

	async start(podName: string, env: Readonly<Record<string, string>> = {}): Promise<AppProcess> {
		const { kubeconfig, namespace } = this;
		const running = await startApp('orchestrator', { kubeconfig, namespace, podName, env: { ...this.#env, ...env } });
		this.processes.push(running);
		await running.waitUntilReady(START_LIMIT_MS);
		return running;
	}

	async startSeveral(count: number): Promise<AppProcess[]> {
		return Promise.all(Array.from({ length: count }, (_, i) => this.start(`orchestrator-${i}`)));
	}

	async stop(): Promise<void> {
		for (const { signal } of this.processes) signal('SIGCONT'); // one that is stopped would not stop
		await Promise.all(this.processes.map((running) => running.stop()));
		await this.#history?.stop();
	}

	path(plural: string, name = ''): string {
		return `${GROUP}/namespaces/${this.namespace}/${plural}${name === '' ? '' : `/${name}`}`;
	}

	async list(plural: string): Promise<KubeObject[]> {
		return (await this.api.call('GET', this.path(plural)))['items'] as KubeObject[];
	}

	requests = (): Promise<KubeObject[]> => this.list('remediationrequests');
	executions = (): Promise<KubeObject[]> => this.list('workflowexecutions');
	notifications = (): Promise<KubeObject[]> => this.list('notificationrequests');

	async events(about: string): Promise<KubeObject[]> {
		const { items } = await this.api.call('GET', `/api/v1/namespaces/${this.namespace}/events`);
		return (items as KubeObject[]).filter(({ involvedObject }) => involvedObject.name === about);
	}

	createRequest(options: RequestOptions = {}): Promise<KubeObject> {
		return this.api.call('POST', this.path('remediationrequests'), { body: newRequest(options) });
	}

	createWorkflow(name: string, options: WorkflowOptions = {}): Promise<KubeObject> {
		return this.api.call('POST', this.path('remediationworkflows'), { body: newWorkflow(name, options) });
	}

	editWorkflow(name: string, spec: object): Promise<KubeObject> {
		return this.api.call('PATCH', this.path('remediationworkflows', name), {
			body: { spec },
			contentType: MERGE_PATCH,
		});
	}

	/** A person's word. */
	decide(request: KubeObject, decision: 'Approved' | 'Rejected', reason?: string): Promise<KubeObject> {
		return this.api.call('POST', this.path('remediationapprovals'), { body: newApproval(request, decision, reason) });
	}

	/** The executions of a target, the oldest first, chained as they would be. */
	async putExecutions(target: string, links: readonly PastExecution[]): Promise<KubeObject[]> {
		const put: KubeObject[] = [];
		for (const link of links) {
			const before = put.at(-1);
			const body = pastExecution(target, link, before);
			const { name } = body.metadata;
			if (before !== undefined) await this.patchExecution(before['metadata'].name, { successor: { name } });
			const made = await this.api.call('POST', this.path('workflowexecutions'), { body });
			put.push(link.status === undefined ? made : await this.patchExecution(name, link.status));
		}
		return put;
	}

	/** At once, whatever finalizers it has. */
	async deleteExecution(name: string): Promise<void> {
		const path = this.path('workflowexecutions', name);
		await this.api.call('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: MERGE_PATCH });
		await this.api.call('DELETE', path);
	}

	/** All requests and executions, as retention would in time: a long run must not slow down by what is over. */
	async removeAll(): Promise<void> {
		const names = (await this.executions()).map(({ metadata }) => metadata.name as string);
		await Promise.all(names.map((name) => this.deleteExecution(name)));
		await this.api.call('DELETE', this.path('remediationrequests'));
		await this.api.call('DELETE', this.path('notificationrequests'));
	}

	/** The switch as a person would set it, in place of what it was; without data, it is taken away. */
	async pause(data?: Readonly<Record<string, string>>): Promise<void> {
		const path = `/api/v1/namespaces/${this.namespace}/configmaps`;
		const name = 'kubernaut-pause';
		if (data === undefined) {
			await this.api.send('DELETE', `${path}/${name}`);
			return;
		}
		const body = { metadata: { name }, data };
		const { status } = await this.api.send('PUT', `${path}/${name}`, { body });
		if (status === 404) await this.api.call('POST', path, { body });
		else expect(status).toBe(200);
	}

	/** As the executor would: a run that has begun, and how it ended. */
	async endExecution(name: string, phase: 'Completed' | 'Failed', at = new Date()): Promise<void> {
		await this.patchExecution(name, endedStatus(phase, at));
	}

	/** As the executor would: its run has begun. */
	beginExecution(name: string): Promise<KubeObject> {
		return this.patchExecution(name, { phase: 'Running', pipelineRunRef: RUN });
	}

	/** As the executor would: turned away. Its clock may be ahead, so that there is time to see the wait that follows. */
	skipExecution(name: string, { reason = 'ResourceBusy', heldBy, message, aheadMs }: SkipOptions): Promise<KubeObject> {
		const skipDetails = { reason, message: message ?? `held by ${heldBy}`, heldBy };
		const completionTime = new Date(Date.now() + aheadMs).toISOString();
		return this.patchExecution(name, { phase: 'Skipped', completionTime, skipDetails });
	}

	patchExecution(name: string, status: object): Promise<KubeObject> {
		return this.patchStatus('workflowexecutions', name, status);
	}

	patchStatus(plural: string, name: string, status: object): Promise<KubeObject> {
		return this.api.call('PATCH', `${this.path(plural, name)}/status`, { body: { status }, contentType: MERGE_PATCH });
	}

	async request(name: string): Promise<KubeObject> {
		return this.#read(await this.api.call('GET', this.path('remediationrequests', name)));
	}

	/** Waits until the request is in the phase, or blocked for the reason, or was since it was last read; gives it so. */
	async until(name: string, phaseOrReason: string): Promise<KubeObject> {
		const found = await eventually(
			async () => {
				const seen = this.#sinceRead(name).find((version) => stateOf(version) === phaseOrReason);
				if (seen !== undefined) return seen;
				const { status, body } = await this.api.send('GET', this.path('remediationrequests', name));
				return status === 200 ? body : undefined; // one that was removed meanwhile is in the history
			},
			(request) => expect(request === undefined ? 'not there' : stateOf(request)).toBe(phaseOrReason),
		);
		return this.#read(found as KubeObject);
	}

	/**
	 * As it was when it was blocked for the reason, after it was last read. Undefined when it went on without, because the
	 * first look at it came only when the block would have been over.
	 */
	async untilBlocked(request: KubeObject, reason: string, overAt: number): Promise<KubeObject | undefined> {
		const { name } = request['metadata'];
		const ends = [reason, 'Executing', 'Completed'];
		const found = await eventually(
			async () => this.#sinceRead(name, 1n).find((version) => ends.includes(stateOf(version) ?? '')),
			(version) => expect(version, `${name} went nowhere and is not ${reason}`).toBeDefined(),
		);
		if (stateOf(found as KubeObject) === reason) return this.#read(found as KubeObject);
		const wentOnAt: string =
			found?.['status'].completedAt ?? (await this.executionOf(request))['metadata'].creationTimestamp;
		// These times are whole seconds, rounded down.
		expect(Date.parse(wentOnAt) + 1000, `${name} went on too early`).toBeGreaterThan(overAt);
		return undefined;
	}

	/** All its versions from the one that is given on. */
	async versionsSince({ metadata }: KubeObject): Promise<KubeObject[]> {
		await this.#history?.caughtUp();
		return this.#history?.since(metadata.name, BigInt(metadata.resourceVersion)) ?? [];
	}

	/** With the version that was read last, or only those that are newer by so many. */
	#sinceRead(name: string, newerBy = 0n): KubeObject[] {
		return this.#history?.since(name, (this.#readUpTo.get(name) ?? 0n) + newerBy) ?? [];
	}

	#read(request: KubeObject): KubeObject {
		const { name, resourceVersion } = request['metadata'];
		this.#readUpTo.set(name, BigInt(resourceVersion));
		return request;
	}

	/** Executions that were made for it and not turned away. */
	async #madeFor(request: KubeObject): Promise<KubeObject[]> {
		return (await this.executions()).filter(
			({ spec, status }) => spec.remediationRequestRef.uid === request['metadata'].uid && status?.phase !== 'Skipped',
		);
	}

	/** The one execution that was made for it and is not turned away. */
	async executionOf(request: KubeObject): Promise<KubeObject> {
		const ours = await this.#madeFor(request);
		expect(ours).toHaveLength(1);
		return ours[0] as KubeObject;
	}

	/** Executed, by the one execution that it names. */
	async untilExecuting(request: KubeObject): Promise<KubeObject> {
		const { made: execution } = await eventually(
			async () => {
				const { status } = await this.request(request['metadata'].name);
				const [made] = status.overallPhase === 'Executing' ? await this.#madeFor(request) : [];
				return { status, made };
			},
			({ status, made }) =>
				expect(status).toMatchObject({
					overallPhase: 'Executing',
					workflowExecutionRef: { uid: made?.['metadata'].uid ?? 'of one that was made' },
				}),
		);
		return execution as KubeObject;
	}

	/** What people were asked to be told about it, once it says that they were told so many times. */
	async told(request: KubeObject, times: number): Promise<KubeObject[]> {
		const { name, uid } = request['metadata'];
		await eventually(
			() => this.request(name),
			({ status }) => expect(status.notificationRequestRefs ?? []).toHaveLength(times),
		);
		return (await this.notifications()).filter(({ spec }) => spec.remediationRequestRef.uid === uid);
	}

	/**
	 * The replicas have worked through something that came later, by every watch: requests, a person's word, executions.
	 * What they still had to do about what was before, they have done. (That something is not done shows only then.)
	 */
	async afterwards(): Promise<void> {
		// More than replicas, so that each has its part in it.
		await Promise.all(Array.from({ length: 2 * this.processes.length }, () => this.#seeThrough()));
	}

	async #seeThrough(): Promise<void> {
		const target = `marker/Pod/${randomBytes(6).toString('hex')}`;
		const request = await this.createRequest({ target, signalName: MARKER });
		await this.told(request, 1);
		await this.decide(request, 'Approved');
		await this.endExecution((await this.untilExecuting(request))['metadata'].name, 'Completed');
		await this.told(request, 2);
	}

	createMarkerWorkflow(): Promise<KubeObject> {
		return this.createWorkflow(MARKER_WORKFLOW, { signalNames: [MARKER], mode: 'Approval', cooldown: '0s' });
	}

	/** Whether nobody writes to it any more. */
	async isSettled(name: string): Promise<boolean> {
		const { metadata } = await this.request(name);
		await this.afterwards();
		return (await this.request(name))['metadata'].resourceVersion === metadata.resourceVersion;
	}
}

function stateOf({ status }: KubeObject): string | undefined {
	return status?.overallPhase === 'Blocked' ? status.blockReason : status?.overallPhase;
}

/**
 * Stopped and removed when the test file ends. What is prepared, every process knows from its start; what is made later,
 * it may learn of only after what was made after that: each kind has a watch of its own.
 */
export async function openWorld(
	prefix: string,
	replicas: number,
	env: Readonly<Record<string, string>> = {},
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
	return `ro-lock-${createHash('sha256').update(target).digest('hex').slice(0, 32)}`;
}
