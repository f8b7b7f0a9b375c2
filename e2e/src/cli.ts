// `npm run e2e`: the scenarios of e2e/scenarios, on a kind cluster or as processes.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { obtainPart, type PartName } from '@kubernaut/control-plane';
import { describeOutcome, onInterrupt } from '@kubernaut/kind';
import { Command, Option } from 'commander';
import type { ClusterDescription } from '../harness/environment.ts';
import { NOTHING_FREEZES } from '../harness/platform.ts';
import { QUICK } from '../quick-scenarios.ts';
import { type ClusterRun, openKindRun } from './cluster-run.ts';
import { openNamedCluster } from './named-cluster.ts';
import { commitOf, preparePrevious, previousCommit } from './previous-version.ts';
import { tryUninstall } from './uninstall.ts';

const E2E = join(import.meta.dirname, '..');
const ENDING = '.e2e.test.ts';
const SCENARIOS = readdirSync(join(E2E, 'scenarios'))
	.filter((file) => file.endsWith(ENDING))
	.map((file) => file.replace(ENDING, ''));

const HELP = `
Scenarios: ${SCENARIOS.join(', ')}

  npm run e2e                              on a new kind cluster, which is removed afterwards
  npm run e2e -- --env processes           the same scenarios without Docker: processes beside a control plane
  npm run e2e -- --only messages-once      one of them
  npm run e2e:node-image                   first, where no container image can be pulled (Debian, root)`;

const program = new Command('npm run e2e --')
	.description('Runs the scenarios of e2e/ on a real cluster, three replicas of each app.')
	.addOption(new Option('--env <environment>', 'where').choices(['kind', 'processes']).default('kind'))
	.option(
		'--cluster <context>',
		'on this cluster of your kubeconfig instead; it needs Tekton, and the images on its nodes (e2e/README.md). The platform is applied to it and stays',
	)
	.addOption(new Option('--only <scenario...>', 'these scenarios').choices(SCENARIOS))
	.option('--quick', `the ones that end soonest: ${QUICK.join(', ')}`)
	.option('--previous <commit>', 'the version that update-under-load begins with; the last commit before this tree')
	.option('--uninstall', 'afterwards, try the ways out of docs/install.md with executions that run and cool down')
	.option('--keep', 'keep the cluster and the platform up; until Ctrl-C when the Docker engine is of this run')
	.addHelpText('after', HELP)
	.parse();
const options = program.opts<{
	env: 'kind' | 'processes';
	cluster?: string;
	only?: string[];
	quick?: boolean;
	keep?: boolean;
	uninstall?: boolean;
	previous?: string;
}>();
const chosen: readonly string[] = options.only ?? (options.quick ? QUICK : SCENARIOS);

const interrupt = onInterrupt();
let run: ClusterRun | undefined;
let stays = false;
try {
	const previous = await findPrevious();
	// Before the cluster stands there: on a new machine they take minutes.
	for (const part of partsOf(chosen)) await obtainPart(part, { signal: interrupt });
	if (options.cluster !== undefined) run = await openNamedCluster(options.cluster, interrupt);
	else if (options.env === 'kind') run = await openKindRun(interrupt, previous);
	if (run) console.log(run.summary);
	const leftOut = whatCannotRun(run, previous);
	for (const [name, reason] of leftOut) if (chosen.includes(name)) console.log(`Left out: ${name}: ${reason}.`);
	const scenarios = chosen.filter((name) => !leftOut.has(name));
	if (scenarios.length === 0) throw new Error('Nothing is left to run.');
	const startedAt = performance.now();
	process.exitCode = await runScenarios(scenarios, run, previous);
	console.log(`Scenarios took ${Math.round((performance.now() - startedAt) / 1000)} s.`);
	if (run && process.exitCode !== 0 && !interrupt.aborted) await run.describe();
	if (options.uninstall && run && !interrupt.aborted) {
		const left = await tryUninstall(JSON.parse(readFileSync(run.descriptionFile, 'utf8')) as ClusterDescription);
		console.log(left.length === 0 ? 'Uninstalled: nothing is left.' : `Left behind: ${left.join(', ')}`);
		if (left.length > 0) process.exitCode = 1;
	}
	if (options.keep && run && !interrupt.aborted) stays = await stay(run);
} catch (error) {
	process.exitCode = describeOutcome(error, interrupt);
} finally {
	if (!stays) await run?.close();
}

/** What the harness of these scenarios starts itself. */
function partsOf(scenarios: readonly string[]): PartName[] {
	return [
		...(scenarios.includes('targets-of-the-locks') ? (['prometheus'] as const) : []),
		...(options.env === 'processes' && scenarios.includes('from-alert-to-repair') ? (['alertmanager'] as const) : []),
	];
}

/** Only where a scenario asks for it, and its images can be had. */
async function findPrevious(): Promise<string | undefined> {
	if (!chosen.includes('update-under-load') || options.cluster !== undefined) return undefined;
	const commit = options.previous === undefined ? await previousCommit() : await commitOf(options.previous);
	if (commit === undefined && options.previous !== undefined)
		throw new Error(`There is no commit ${options.previous}.`);
	return commit === undefined ? undefined : preparePrevious(commit, interrupt);
}

/** Scenario → why it cannot run here. */
function whatCannotRun(cluster: ClusterRun | undefined, previous: string | undefined): Map<string, string> {
	const found = new Map<string, string>();
	if (previous === undefined)
		found.set(
			'update-under-load',
			options.cluster === undefined
				? 'this tree has no history with a version before it'
				: 'it begins with the version before this one, whose images are not on the nodes of a cluster that is there',
		);
	// Also a holder that is killed is first caught by standing still.
	if (cluster?.freezes === false) found.set('killed-or-frozen-holders', NOTHING_FREEZES);
	return found;
}

function runScenarios(
	scenarios: readonly string[],
	cluster: ClusterRun | undefined,
	previous: string | undefined,
): Promise<number> {
	const vitest = join(E2E, 'node_modules', 'vitest', 'vitest.mjs');
	const env = {
		...process.env,
		...(cluster && { KUBERNAUT_E2E_CLUSTER: cluster.descriptionFile }),
		...(previous && { KUBERNAUT_E2E_PREVIOUS: previous }),
	};
	return new Promise((resolve, reject) => {
		// Vitest ends by itself when it is asked to, and lets its processes end first.
		const child = spawn(process.execPath, [vitest, 'run', ...scenarios.map((name) => `scenarios/${name}${ENDING}`)], {
			cwd: E2E,
			env,
			stdio: 'inherit',
		});
		interrupt.addEventListener('abort', () => child.kill('SIGINT'), { once: true });
		child.once('error', reject);
		child.once('close', (code) => resolve(interrupt.aborted ? 130 : (code ?? 1)));
	});
}

/** True when it stays without us. */
async function stay({ kubeconfigPath, removal }: ClusterRun): Promise<boolean> {
	const look = `kubectl --kubeconfig ${kubeconfigPath} get pods -A`;
	if (removal !== undefined) {
		console.log(`Kept: ${look}\nRemove it with: ${removal}`);
		return true;
	}
	console.log(`Kept until Ctrl-C, like the Docker engine that this run has started: ${look}`);
	const staying = setInterval(() => {}, 60_000);
	await new Promise((resolve) => interrupt.addEventListener('abort', resolve, { once: true }));
	clearInterval(staying);
	return false;
}
