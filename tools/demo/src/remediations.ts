// From requests to executions to runs: orchestrators, alerts that meet on targets, executors and Tekton.
import { setTimeout as delay } from 'node:timers/promises';
import { type Arena, type Contestant, REPLICAS } from '@kubernaut/bench/arena';
import { readIdentity } from '@kubernaut/bench/identity';
import { watchChanges } from '@kubernaut/bench/object-watch';
import { requestsPath } from '@kubernaut/bench/signal-request';
import { type ControlPlane, obtainTekton, startTekton } from '@kubernaut/control-plane';
import { startApp } from '@kubernaut/testkit/app-process';
import { applyObject } from '@kubernaut/testkit/apply';
import { appKubeconfig } from '@kubernaut/testkit/service-account';
import type { CleanUp } from './clean-up.ts';
import { executionsPath } from './executions.ts';
import { History, hasEnded, presentState, type SeenExecution, type SeenRequest } from './history.ts';
import {
	COOLDOWN,
	FAILURE_BACKOFF,
	FLAKY_WORKFLOW,
	INCIDENTS,
	type Incident,
	workflowObjects,
	workflowsInWords,
} from './incidents.ts';
import { mendPipeline, startExecutors } from './pipelines.ts';
import {
	brokenExecutionPromises,
	cooldownInWords,
	costInWords,
	counted,
	reportOf,
	short,
} from './remediation-report.ts';
import type { Screen } from './screen.ts';
import { serverTable } from './server-table.ts';
import { type TargetCalls, targetCalls } from './target-calls.ts';

export type Scene = {
	readonly screen: Screen;
	readonly cleanUp: CleanUp;
	readonly arena: Arena;
	readonly controlPlane: ControlPlane;
	readonly gateways: Contestant;
	/** What the storm was about. */
	readonly deployment: string;
	readonly withTekton: boolean;
};

const USER_AGENT = 'kubernaut-orchestrator';
const READY_MS = 60_000;
const PATIENCE_MS = 45_000;
/** Several runs of seconds and a cooldown, on a machine that has all of this to carry. */
const RUNS_PATIENCE_MS = 120_000;
const POLL_MS = 20;
const SEND_TRIES = 10;
const SEND_AGAIN_MS = 1000;
// The audit log is written after the answer, and Events after the decision.
const SETTLE_MS = 1000;
const WITHOUT_TEKTON =
	'Nothing runs these executions here: Tekton is built from source, beside a control plane of its own. For that part install Go, and name no cluster.';
const MENDED = `The Pipeline ${FLAKY_WORKFLOW} is mended now, as a person would do; the next request that asks for it tries again.`;
const SHOWN_COLUMNS = ['Name', 'Target', 'Signal', 'Phase', 'Reason'];

/** Empty when all promises were kept. */
export async function playRemediations(scene: Scene): Promise<string[]> {
	const { screen, arena, gateways } = scene;
	const { namespace } = gateways;
	const mark = arena.countsCalls ? arena.auditLog.mark() : 0;
	const history = await begin(scene);
	await sendAlerts(scene, history);
	screen.print('', ...(await serverTable(arena.api, requestsPath(namespace), SHOWN_COLUMNS)));

	if (scene.withTekton) await runPipelines(scene, history);
	else screen.aside('', WITHOUT_TEKTON);
	await delay(SETTLE_MS, undefined, { signal: scene.cleanUp.signal });

	screen.headline(`${scene.withTekton ? 8 : 7}. Who held what, who was blocked by whom, and how it ended`);
	const calls = arena.countsCalls ? countCalls(arena, mark, namespace, history) : undefined;
	screen.print(...reportOf(history, calls), '', ...cooldownInWords(history));
	screen.aside(costInWords(history, calls));
	return brokenExecutionPromises(history, scene.withTekton);
}

async function begin(scene: Scene): Promise<History> {
	const { screen, arena, gateways, deployment } = scene;
	const { namespace } = gateways;
	screen.headline(`6. From requests to executions: ${REPLICAS} orchestrators beside the gateways`);
	const history = new History();
	await screen.step(
		'Starting the orchestrators',
		async () => {
			const others = encodeURIComponent(`spec.targetResource.name!=${deployment}`);
			await arena.api.call('DELETE', `${requestsPath(namespace)}?fieldSelector=${others}`);
			for (const workflow of workflowObjects(namespace)) await applyObject(arena.api, workflow);
			await startOrchestrators(scene, history);
		},
		() => `ready: ${REPLICAS} × orchestrator; what the warm-up made is removed, the workflows are there`,
	);
	screen.aside(
		...workflowsInWords(),
		`After a run, a target is left alone for ${COOLDOWN} here; a failed one is tried again by the next request that asks for it.`,
	);
	await screen.step(
		"Waiting for the storm's execution",
		() => until(scene, () => history.requests.length > 0 && history.requests.every(isDecided)),
		() =>
			`the storm has ${counted(history.requests.length, 'request')} and ${counted(history.executions.length, 'execution')}`,
	);
	return history;
}

async function startOrchestrators({ arena, controlPlane, gateways, cleanUp }: Scene, history: History): Promise<void> {
	const { namespace } = gateways;
	const kubeconfig = await appKubeconfig(arena.api, 'orchestrator', namespace, controlPlane.kubeconfigPath);
	const identity = readIdentity(kubeconfig);
	const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	for (const watching of [
		watchChanges(identity, requestsPath(namespace), (change) => history.sawRequest(change)),
		watchChanges(identity, executionsPath(namespace), (change) => history.sawExecution(change)),
		watchChanges(identity, leases, (change) => history.sawLease(change)),
	])
		await cleanUp.starting(watching, (watch) => watch.stop());
	const starting = Array.from({ length: REPLICAS }, async (_, i) => {
		const env = { ROUTING_FAILURE_BACKOFF: FAILURE_BACKOFF };
		const app = startApp('orchestrator', { kubeconfig, namespace, podName: `orchestrator-${i}`, env });
		const running = await cleanUp.starting(app, (it) => it.stop());
		await running.waitUntilReady(READY_MS);
	});
	await Promise.all(starting);
}

async function sendAlerts(scene: Scene, history: History): Promise<void> {
	const targets = new Set(INCIDENTS.map(({ deployment }) => deployment)).size;
	await scene.screen.step(
		'Sending alerts',
		async () => {
			await Promise.all(INCIDENTS.map((incident) => sendUntilStored(scene, incident)));
			const expected = 1 + INCIDENTS.length;
			await until(scene, () => history.requests.length === expected && history.requests.every(isDecided));
		},
		() =>
			`${INCIDENTS.length} different alerts at once, about ${targets} deployments: each has a request, all are decided`,
	);
}

/** As Alertmanager does it: 503 is sent again. */
async function sendUntilStored({ gateways, cleanUp }: Scene, { deployment, alertName }: Incident): Promise<void> {
	for (let tries = 0; ; tries++) {
		const { status, text } = await gateways.load.send(deployment, alertName);
		if (status === 201 || status === 202) return;
		if (status !== 503 || tries === SEND_TRIES) throw new Error(`an alert was answered with ${status}: ${text}`);
		await delay(SEND_AGAIN_MS, undefined, { signal: cleanUp.signal });
	}
}

async function runPipelines(scene: Scene, history: History): Promise<void> {
	const { screen, arena, controlPlane, gateways, cleanUp } = scene;
	screen.headline(
		`7. From executions to runs: Tekton, and ${REPLICAS} workflow-executors that give it one run per target`,
	);
	await screen.step(
		'Starting Tekton',
		async () => startTekton(controlPlane.directory ?? '', await obtainTekton(), cleanUp.signal),
		() =>
			'Tekton 1.15 with a scheduler and a simulated node, which plays the pods: no image is pulled, nothing is repaired',
	);
	await screen.step(
		'Starting the executors',
		() => startExecutors(arena.api, gateways.namespace, controlPlane.kubeconfigPath, cleanUp),
		() => `ready: ${REPLICAS} × workflow-executor; the run of a target is its lock, until its cooldown is over`,
	);
	await followExecutions(scene, history);
}

/** Says what became of each execution, as it ends. */
async function followExecutions(scene: Scene, history: History): Promise<void> {
	const { screen, arena, gateways, cleanUp } = scene;
	const shown = new Set<string>();
	const givenUpAt = performance.now() + RUNS_PATIENCE_MS;
	for (let isLast = false; !isLast; ) {
		isLast = history.requests.every(isSettled) || performance.now() > givenUpAt;
		for (const execution of history.executions.filter(({ name, over }) => over && !shown.has(name))) {
			shown.add(execution.name);
			screen.print(endedInWords(execution));
			if (execution.phase !== 'Failed' || execution.workflow !== FLAKY_WORKFLOW) continue;
			await mendPipeline(arena.api, gateways.namespace);
			screen.aside(MENDED);
		}
		if (!isLast) await delay(POLL_MS, undefined, { signal: cleanUp.signal });
	}
}

function endedInWords({ name, workflow, target, madeBy, phase, summary }: SeenExecution): string {
	const made = `made by ${madeBy ?? 'an unknown pod'} under the target's lock`;
	return `${short(name)}, ${workflow} on ${target}, ${made}: ${phase}${summary === undefined ? '' : ` (${summary})`}`;
}

function countCalls(arena: Arena, mark: number, namespace: string, history: History): TargetCalls {
	return targetCalls(arena.auditLog.calls(mark, { userAgent: USER_AGENT, namespace }), history);
}

/** Something runs for it, or it says why not. */
function isDecided(request: SeenRequest): boolean {
	const { phase = 'Pending', reason, notifications = 0 } = presentState(request) ?? {};
	return phase !== 'Pending' && (reason !== 'NoWorkflow' || notifications > 0);
}

/** It is over, or waits for a person. */
function isSettled(request: SeenRequest): boolean {
	return hasEnded(request) || presentState(request)?.reason === 'NoWorkflow';
}

async function until({ cleanUp }: Scene, check: () => boolean): Promise<void> {
	const givenUpAt = performance.now() + PATIENCE_MS;
	while (!check()) {
		if (performance.now() > givenUpAt) throw new Error('the orchestrators did not decide in time');
		await delay(POLL_MS, undefined, { signal: cleanUp.signal });
	}
}
