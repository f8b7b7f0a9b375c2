// What the demo shows, in order.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Arena, type Contestant, REPLICAS } from '@kubernaut/bench/arena';
import { requestsAbout, runStorm, type StormSubject } from '@kubernaut/bench/storm';
import {
	type ControlPlane,
	canHaveParts,
	obtainTekton,
	startControlPlane,
	TEKTON_PLATFORM,
} from '@kubernaut/control-plane';
import { appBundle } from '@kubernaut/testkit/app-process';
import { applyCrds } from '@kubernaut/testkit/apply';
import type { CleanUp } from './clean-up.ts';
import { brokenPromises, callsInWords, patternInWords, tableOf } from './comparison.ts';
import { letExecutionsGo } from './executions.ts';
import { figuresOf, type StormFigures, Tally } from './figures.ts';
import { playMessages } from './messages/messages.ts';
import { playRemediations } from './remediations.ts';
import { GONE_COUNT, POD_COUNT, rollOut, rollOutIn } from './roll-out.ts';
import { type Screen, seconds } from './screen.ts';
import { serverTable } from './server-table.ts';

export type Ending = {
	/** What gateway, orchestrator and notification service promise. */
	readonly kept: boolean;
	/** For who stays. */
	readonly lookAround: readonly string[];
};

const SIGNALS = 100;
const OURS = 'kubernaut';
const PATTERN = 'ADR-052 as written';
// The first request of a measurement is not slow because its code was never run before.
const WARM_UP_SIGNALS = 30;
const WARM_UP_CONCURRENCY = 10;
// Locks are released after the answer: what the warm-up cost must not be counted for the storm.
const SETTLE_MS = 1000;
const SHOWN_COLUMNS = ['Name', 'Phase', 'Reason', 'Target', 'Count'];
const SOURCES: Readonly<Record<ControlPlane['source'], string>> = {
	kubeconfig: 'the one that was named',
	binaries: 'kube-apiserver and etcd of its own',
	k3s: 'k3s in Docker',
	built: 'kube-apiserver and etcd, built from source',
};

export async function playStory(screen: Screen, cleanUp: CleanUp): Promise<Ending> {
	// Of its own, so that it also runs on a cluster that was named on purpose and leaves nothing there but the kinds.
	const namespace = `kubernaut-demo-${randomBytes(3).toString('hex')}`;
	const patternNamespace = `${namespace}-adr-052`;
	const workloads = `${namespace}-shop`;

	screen.headline(
		`${SIGNALS} alerts of a bad roll-out at once, on ${REPLICAS} gateways, and what becomes of them, up to the pods. All figures are measured now, on this machine.`,
	);

	for (const app of ['gateway', 'orchestrator', 'workflow-executor', 'notification'] as const)
		appBundle(app).catch(() => {}); // the start of the app reports the error

	screen.headline('1. A control plane');
	const controlPlane = await screen.step(
		'Starting etcd and kube-apiserver',
		() => cleanUp.starting(startControlPlane({ auditLog: true, signal: cleanUp.signal }), (it) => it.stop()),
		({ version, url, source }) => `Kubernetes ${version} at ${url}, ${SOURCES[source]}`,
	);
	const withTekton =
		controlPlane.directory !== undefined && controlPlane.source !== 'k3s' && (await canHaveParts(TEKTON_PLATFORM));
	// Built now, and not while something is measured.
	if (withTekton) await obtainTekton({ signal: cleanUp.signal });
	const arena = new Arena(controlPlane);
	cleanUp.add(() => arena.close());
	if (controlPlane.source === 'kubeconfig')
		for (const name of [namespace, patternNamespace, workloads])
			cleanUp.add(async () => {
				await letExecutionsGo(arena.api, name);
				await arena.api.send('DELETE', `/api/v1/namespaces/${name}`);
			});
	await screen.step(
		'Teaching it our kinds',
		() => teachKinds(arena),
		(kinds) => `It learns ${kinds.join(', ')}`,
	);

	screen.headline(`2. ${REPLICAS} gateways, as processes with the rights that they have in a cluster`);
	const gateways = await screen.step(
		'Building and starting the gateways',
		() => arena.startGateways(namespace, REPLICAS),
		() => `ready: ${REPLICAS} × gateway`,
	);

	screen.headline(`3. The storm: ${SIGNALS} alerts about ${POD_COUNT} crashing pods of one deployment`);
	await screen.step(
		'Rolling out a version that crashes',
		() => rollOut(arena.api, workloads),
		() => `${POD_COUNT} pods of it crash, and ${GONE_COUNT} of them are replaced before their alerts come`,
	);
	const ours = await storm(screen, arena, gateways, rollOutIn(workloads));
	screen.print('', ...tableOf([{ title: OURS, figures: ours.figures }]), '');
	screen.print(...(await serverTable(arena.api, requestsAbout(namespace, ours.deployment), SHOWN_COLUMNS)), '');
	screen.aside(callsInWords(ours.figures));

	screen.headline(
		`4. As many alerts on the pattern that it comes from: ${REPLICAS} replicas of ${PATTERN}. It does not know which pods belong together: its alerts are equal, and name the deployment`,
	);
	const replicas = await screen.step(
		'Starting the replicas',
		() => arena.startBaseline(patternNamespace, REPLICAS, true),
		() => 'ready: its lock, its check and its retries, on the same API server',
	);
	screen.aside('What its text leaves open is done in the way that is kindest to it: see tools/bench/src/baseline.');
	const theirs = await storm(screen, arena, replicas);
	screen.aside(callsInWords(theirs.figures));

	screen.headline('5. Side by side');
	screen.print(
		...tableOf([
			{ title: OURS, figures: ours.figures },
			{ title: PATTERN, figures: theirs.figures },
		]),
		'',
	);
	const kept = conclude(screen, ours.figures, theirs.figures);
	await replicas.stop();

	const { deployment } = ours;
	const scene = { screen, cleanUp, arena, controlPlane, gateways, deployment, withTekton };
	const broken = await playRemediations(scene);
	printPromises(
		screen,
		'never two executions of one target at once, none twice, and every end explains itself',
		broken,
	);
	const brokenMessages = await playMessages(scene);
	printPromises(screen, 'each notification once at each receiver, and none lost', brokenMessages);
	return {
		kept: kept && broken.length === 0 && brokenMessages.length === 0,
		lookAround: lookAround(controlPlane, namespace, patternNamespace, gateways.replicas),
	};
}

async function teachKinds(arena: Arena): Promise<string[]> {
	await applyCrds(arena.api);
	// Not from its discovery, which lags behind what it serves.
	const { items } = await arena.api.call('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions');
	const crds = (items as { spec: { group: string; names: { kind: string } } }[]).map(({ spec }) => spec);
	return crds.filter(({ group }) => group === 'kubernaut.ai').map(({ names }) => names.kind);
}

async function storm(
	screen: Screen,
	arena: Arena,
	contestant: Contestant,
	subject?: StormSubject,
): Promise<{ deployment: string; figures: StormFigures }> {
	await screen.step(
		'Warming up',
		async () => {
			await warmUp(contestant);
			await delay(SETTLE_MS);
		},
		() => `warmed up with ${WARM_UP_SIGNALS} other alerts`,
	);
	const tally = new Tally(SIGNALS);
	const line = screen.liveLine();
	const onAnswer = ({ status }: { status: number }) => {
		tally.add(status);
		line.update(tally.describe());
	};
	const record = await runStorm(arena, contestant, SIGNALS, onAnswer, subject);
	line.end(`${tally.describe()}    (${seconds(record.lastAnswerMs)})`);
	return { deployment: record.deployment, figures: figuresOf(record) };
}

/** A gateway on a busy machine may say 503 to one of them: warm it is all the same. */
async function warmUp({ load }: Contestant): Promise<void> {
	for (let sent = 0; sent < WARM_UP_SIGNALS; sent += WARM_UP_CONCURRENCY)
		await Promise.all(Array.from({ length: WARM_UP_CONCURRENCY }, (_, i) => load.send(`warm-${sent + i}`)));
}

function conclude(screen: Screen, ours: StormFigures, theirs: StormFigures): boolean {
	const broken = brokenPromises(ours);
	printPromises(screen, 'one incident, one request, and every alert is counted on it', broken);
	screen.print(`${PATTERN}:`, ...patternInWords(ours, theirs).map((line) => `  ${line}`), '');
	screen.aside(
		'One storm each, measured just now on this machine; the next run will differ. `npm run bench -- gateway` repeats',
		'it in turns and compares medians.',
	);
	return broken.length === 0;
}

function printPromises(screen: Screen, promise: string, broken: readonly string[]): void {
	if (broken.length === 0) screen.print(`${OURS}: ${promise}.`);
	else
		screen.print(
			`${OURS} did not keep its promise in this run. Please report it:`,
			...broken.map((line) => `  ${line}`),
		);
}

function lookAround(
	{ kubeconfigPath }: ControlPlane,
	namespace: string,
	patternNamespace: string,
	gateways: readonly { readonly podName: string; readonly apiUrl: string; readonly metricsUrl: string }[],
): string[] {
	return [
		`kubectl --kubeconfig ${kubeconfigPath} -n ${namespace}-workflows get pipelineruns,taskruns,pods`,
		`kubectl --kubeconfig ${kubeconfigPath} -n ${namespace} get remediationrequests,workflowexecutions,notificationrequests -o wide`,
		`kubectl --kubeconfig ${kubeconfigPath} -n ${namespace} describe remediationrequests`,
		`kubectl --kubeconfig ${kubeconfigPath} -n ${patternNamespace} get remediationrequests`,
		...gateways.map(({ podName, apiUrl, metricsUrl }) => `${podName}    ${apiUrl}    ${metricsUrl}`),
	];
}
