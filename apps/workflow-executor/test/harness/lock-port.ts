// The PipelineRun lock seen through the port of part one of the contract. The lock's own code and Tekton's kinds are real; the
// executions that hold it are not stored: each attempt is an execution of its own, and any execution that a run names runs
// with that run. (Keys of the contract are no targets that a WorkflowExecution could have.) The collector is played.
import { randomBytes } from 'node:crypto';
import type { LockPort } from '@kubernaut/lock-contract';
import * as ownLock from '../../src/distributed-lock.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/kube.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { Execution } from '../../src/objects/execution.ts';
import type { ExecutionStore } from '../../src/objects/execution-store.ts';
import { type NewRun, type Run, runName } from '../../src/objects/run-engine.ts';
import { createTektonEngine, runsPath } from '../../src/objects/tekton-engine.ts';
import { pipelineRunManifest } from '../../src/objects/tekton-manifest.ts';
import { SYSTEM_CLOCK } from '../../src/process/clock.ts';
import { anExecution } from './made-up.ts';

type LockModule = typeof ownLock;
type AdminAccess = Parameters<LockPort['plant']>[0];
type HeldRun = { readonly key: string; readonly holder: string; readonly fencingToken: bigint; readonly run: Run };

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const RETRY_AFTER_MS = 1000;
const MAX_STEPS = 10;

/** For a process of its own. */
export async function openPort(): Promise<LockPort> {
	return portOf(ownLock);
}

export function portOf(lockModule: LockModule): LockPort {
	const { LOCK_FAULTS, LockClosedError, LockFault } = lockModule;
	return {
		resource: { apiGroup: 'tekton.dev', plural: 'pipelineruns' },
		verbs: ['create', 'get', 'list', 'patch', 'delete'],
		LockFault,
		LockClosedError,
		faultKinds: LOCK_FAULTS,
		inOwnProcess: { module: import.meta.url, argument: null },
		createMetrics() {
			const { registry, lock } = createMetrics();
			return { registry, lock };
		},
		start({ name, namespace, kubeConfig, requestTimeoutMs, observer }) {
			const kube = createKubeClient(kubeConfig, requestTimeoutMs, { called() {} });
			const lock = lockOf(lockModule, kube, namespace, {
				attempted: () => observer.attempted(),
				acquired: (event) => observer.acquired({ ...event, takeover: false }),
				contended: (event) => observer.contended(event),
				failed: (event) => observer.failed(event),
				released: (event) => observer.released(event),
				releaseFailed: (event) => observer.releaseFailed(event),
			});
			return {
				lock: {
					get activeKeys() {
						return lock.activeKeys;
					},
					async tryAcquire(key) {
						const holder = `${name}.${randomBytes(6).toString('hex')}`;
						const acquisition = await lock.tryAcquire(...attempt(key, holder, namespace));
						if (acquisition.outcome === 'acquired') {
							const { run } = acquisition;
							const held: HeldRun = { key, holder, fencingToken: BigInt(run.resourceVersion), run };
							return { outcome: 'acquired', held };
						}
						const heldBy =
							acquisition.outcome === 'contended' && 'heldBy' in acquisition.standing
								? acquisition.standing.heldBy
								: '';
						return { outcome: 'contended', holder: heldBy, retryAfterMs: RETRY_AFTER_MS };
					},
					/** To its end, with a collector that has nothing to collect. */
					async release(held) {
						let { run } = held as HeldRun;
						try {
							for (let step = 0; step < MAX_STEPS; step++) {
								await lock.release({ run, holder: undefined });
								await collect(kube, namespace, run);
								const found = await lock.inspect(held.key);
								if (found?.run.uid !== run.uid) return;
								({ run } = found);
							}
						} catch {
							// the observer was notified
						}
					},
					async inspect(key) {
						const found = await lock.inspect(key);
						return found === undefined ? undefined : { holder: found.run.owner?.name ?? '' };
					},
					shutdown: async () => lock.shutdown(),
				},
				close: () => kube.close(),
			};
		},
		async plant({ admin, namespace }, key, holder) {
			const [, run] = attempt(key, holder, namespace);
			await admin.call('POST', runsPath(namespace), { body: pipelineRunManifest(run, namespace) });
		},
		async read({ admin, namespace }, key) {
			const { status, body } = await admin.send('GET', `${runsPath(namespace)}/${runName(key)}`);
			if (status === 404) return undefined;
			const { uid, resourceVersion, labels } = body['metadata'];
			return { holder: labels['kubernaut.ai/workflow-execution'], version: `${uid}/${resourceVersion}` };
		},
		remove: (access, key) => removeRun(access, runName(key)),
		async clear(access) {
			const { items } = await access.admin.call('GET', runsPath(access.namespace));
			for (const { metadata } of items) await removeRun(access, metadata.name);
		},
	};
}

function lockOf(
	{ DistributedLock }: LockModule,
	kube: KubeClient,
	namespace: string,
	observer: ownLock.LockObserver,
): ownLock.DistributedLock {
	// The API server's own right to pods is not what this examines: nothing of these runs was ever started.
	const nothing = { items: [] };
	const engine = createTektonEngine(
		{ call: async (call) => (call.verb === 'list' ? (nothing as never) : kube.call(call)) },
		namespace,
	);
	const executions: Pick<ExecutionStore, 'get' | 'patchStatus'> = {
		async get(name) {
			const { items } = await kube.call<{
				items: { metadata: { uid: string; labels: Record<string, string>; annotations: Record<string, string> } }[];
			}>({
				verb: 'list',
				resource: 'pipelineruns',
				namespace,
				path: `${runsPath(namespace)}?labelSelector=${encodeURIComponent(`kubernaut.ai/workflow-execution=${name}`)}`,
			});
			const metadata = items[0]?.metadata;
			if (metadata === undefined) return undefined;
			const uid = metadata.annotations['kubernaut.ai/workflow-execution-uid'] ?? '';
			return anExecution({ name, uid, phase: 'Running', run: { name: 'run', uid: metadata.uid } });
		},
		async patchStatus(execution, { pipelineRunRef }) {
			return { ...execution, phase: 'Running', run: pipelineRunRef ?? undefined };
		},
	};
	const place = { namespace, cooldownMs: 0, orphanAfterMs: 3_600_000 };
	return new DistributedLock(engine, executions, place, SYSTEM_CLOCK, observer);
}

function attempt(key: string, holder: string, namespace: string): [Execution, NewRun] {
	const execution = anExecution({ name: holder, uid: `uid-of-${holder}`, target: key });
	const owner = { namespace, name: holder, uid: execution.uid };
	return [
		execution,
		{
			name: runName(key),
			lockKey: key,
			owner,
			fencingToken: undefined,
			madeBy: holder,
			pipeline: { name: 'restart' },
			parameters: {},
			serviceAccountName: 'runner',
			timeoutMs: 60_000,
		},
	];
}

/** What kube-controller-manager does when a run that is deleted in the foreground has no parts. */
async function collect(kube: KubeClient, namespace: string, { name, uid }: Run): Promise<void> {
	const about = { resource: 'pipelineruns', namespace, path: `${runsPath(namespace)}/${name}` };
	const found = await kube
		.call<{ metadata: { finalizers?: string[] } }>({ ...about, verb: 'get' })
		.catch(() => undefined);
	const index = found?.metadata.finalizers?.indexOf('foregroundDeletion') ?? -1;
	if (index === -1) return;
	const path = `/metadata/finalizers/${index}`;
	const body = [
		{ op: 'test', path: '/metadata/uid', value: uid },
		{ op: 'test', path, value: 'foregroundDeletion' },
		{ op: 'remove', path },
	];
	await kube.call({ ...about, verb: 'patch', body, contentType: JSON_PATCH }).catch(() => undefined);
}

async function removeRun({ admin, namespace }: AdminAccess, name: string): Promise<void> {
	const path = `${runsPath(namespace)}/${name}`;
	await admin.send('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: MERGE_PATCH });
	await admin.send('DELETE', path, { body: { propagationPolicy: 'Background' } });
}
