// `npm run e2e`: the scenarios of e2e/scenarios, on a kind cluster or as processes.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeOutcome, onInterrupt } from '@kubernaut/kind';
import { Command, Option } from 'commander';
import type { ClusterDescription } from '../harness/environment.ts';
import { QUICK } from '../quick-scenarios.ts';
import { type ClusterRun, openKindRun } from './cluster-run.ts';
import { openNamedCluster } from './named-cluster.ts';
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
	.option('--cluster <context>', 'on this cluster of your kubeconfig instead; the platform is applied to it and stays')
	.addOption(new Option('--only <scenario...>', 'these scenarios').choices(SCENARIOS))
	.option('--quick', `the ones that end soonest: ${QUICK.join(', ')}`)
	.option('--uninstall', 'afterwards, try the ways out of docs/install.md with executions that run and cool down')
	.option('--keep', 'keep the cluster and the platform up, until Ctrl-C')
	.addHelpText('after', HELP)
	.parse();
const options = program.opts<{
	env: 'kind' | 'processes';
	cluster?: string;
	only?: string[];
	quick?: boolean;
	keep?: boolean;
	uninstall?: boolean;
}>();

const interrupt = onInterrupt();
let run: ClusterRun | undefined;
try {
	if (options.cluster !== undefined) run = await openNamedCluster(options.cluster, interrupt);
	else if (options.env === 'kind') run = await openKindRun(interrupt);
	if (run) console.log(run.summary);
	const startedAt = performance.now();
	process.exitCode = await runScenarios(run);
	console.log(`Scenarios took ${Math.round((performance.now() - startedAt) / 1000)} s.`);
	if (options.uninstall && run) {
		const left = await tryUninstall(JSON.parse(readFileSync(run.descriptionFile, 'utf8')) as ClusterDescription);
		console.log(left.length === 0 ? 'Uninstalled: nothing is left.' : `Left behind: ${left.join(', ')}`);
		if (left.length > 0) process.exitCode = 1;
	}
	if (options.keep && run && !interrupt.aborted) await stay(run);
} catch (error) {
	process.exitCode = describeOutcome(error, interrupt);
} finally {
	await run?.close();
}

function runScenarios(cluster: ClusterRun | undefined): Promise<number> {
	const chosen = options.only ?? (options.quick ? QUICK : []);
	const vitest = join(E2E, 'node_modules', 'vitest', 'vitest.mjs');
	const env = { ...process.env, ...(cluster && { KUBERNAUT_E2E_CLUSTER: cluster.descriptionFile }) };
	return new Promise((resolve, reject) => {
		// Vitest ends by itself when it is asked to, and lets its processes end first.
		const child = spawn(process.execPath, [vitest, 'run', ...chosen.map((name) => `scenarios/${name}${ENDING}`)], {
			cwd: E2E,
			env,
			stdio: 'inherit',
		});
		interrupt.addEventListener('abort', () => child.kill('SIGINT'), { once: true });
		child.once('error', reject);
		child.once('close', (code) => resolve(interrupt.aborted ? 130 : (code ?? 1)));
	});
}

async function stay({ kubeconfigPath }: ClusterRun): Promise<void> {
	console.log(`Kept until Ctrl-C: kubectl --kubeconfig ${kubeconfigPath} get pods -A`);
	const staying = setInterval(() => {}, 60_000);
	await new Promise((resolve) => interrupt.addEventListener('abort', resolve, { once: true }));
	clearInterval(staying);
}
