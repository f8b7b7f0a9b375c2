// `npm test`: formatting, lint, types, builds and unit tests, while the control plane starts; then the integration
// tests on it. What turbo has cached is not run again. Ends with the line `N passed, N failed`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { cacheDirectory } from '@kubernaut/workspace/cache-directory';
import { whenOrphaned } from '@kubernaut/workspace/orphan';
import { createOwnedDirectory, stopOwned, sweepOwned, watchOver } from '@kubernaut/workspace/owned-processes';
import { Command } from 'commander';
import { goHere } from './go-here.ts';
import { describeDuration, reportLines, verdict } from './report.ts';
import { openRunLog } from './run-log.ts';
import { openRunScreen } from './run-screen.ts';
import { countTask } from './test-counts.ts';
import { plannedTasks, runTurbo, type TurboRun } from './turbo.ts';

const ROOT = process.cwd();
const startedAt = performance.now();

const program = new Command('npm test --')
	.description('Formatting, lint, types, builds, unit and integration tests of the whole workspace.')
	.option('--force', 'run everything anew, whatever is cached')
	.option('--kubeconfig <file>', 'test on this cluster, made for tests (like KUBERNAUT_TEST_KUBECONFIG)')
	.option('--filter <package...>', 'only these packages, in turbo’s words: @kubernaut/gateway, ./apps/*, ...')
	.helpOption('--help', 'this page')
	.parse();
const options = program.opts<{ force?: boolean; kubeconfig?: string; filter?: string[] }>();
if (options.kubeconfig !== undefined)
	process.env['KUBERNAUT_TEST_KUBECONFIG'] = resolve(process.env['INIT_CWD'] ?? ROOT, options.kubeconfig);
const turboArgs = [
	...(options.force ? ['--force'] : []),
	...(options.filter ?? []).map((filter) => `--filter=${filter}`),
];

const running = join(cacheDirectory(), 'running');
await sweepOwned(running);
const directory = createOwnedDirectory(running);
const watchdog = watchOver(directory);
const results = join(directory, 'results');
mkdirSync(results);

let stopControlPlane = async (): Promise<void> => {};
let ending: Promise<never> | undefined;
/** The first end counts. */
function end(exitCode: number): Promise<never> {
	ending ??= (async () => {
		for (const stop of [() => stopOwned(directory), stopControlPlane])
			await stop().catch((error: unknown) => console.error(error instanceof Error ? error.message : String(error)));
		watchdog.dismiss();
		process.exit(exitCode);
	})();
	return ending;
}
function interrupt(exitCode: number): void {
	if (ending !== undefined) return;
	console.error('\nStopping; what was started is being cleaned up.');
	void end(exitCode);
}
/** An interrupted run goes no further than what it waits for: the next step would outlive the clean-up. */
async function unlessEnding<T>(work: Promise<T>): Promise<T> {
	const value = await work;
	return ending ?? value;
}
process.on('SIGINT', () => interrupt(130));
process.on('SIGTERM', () => interrupt(143));
process.on('SIGHUP', () => interrupt(129));
whenOrphaned(() => interrupt(143));

// A named cluster changes without our seeing it: a result of yesterday says nothing about today.
const named = process.env['KUBERNAUT_TEST_KUBECONFIG'] ? ['--force'] : [];
const CHECKS = ['build', 'typecheck', 'lint', 'test', ...(options.filter ? [] : ['//#format:check'])];
// As many as there are processors: more would only make all of them slow.
const checkSlots = availableParallelism();
const checkArgs = [...turboArgs, `--concurrency=${checkSlots}`];
// One package at a time: they share the control plane, and some measure time.
const integrationArgs = [...new Set([...turboArgs, ...named]), '--concurrency=1'];
/** Packages whose integration tests start a control plane with Tekton. */
const WITH_TEKTON = ['control-plane', 'workflow-executor', 'e2e'];
const environment = { KUBERNAUT_TEST_RESULTS: results, KUBERNAUT_GO: goHere() };

const [checks, integration] = await unlessEnding(
	Promise.all([
		plannedTasks(directory, CHECKS, checkArgs, environment),
		plannedTasks(directory, ['test:int'], integrationArgs, environment),
	]),
);
const log = openRunLog(ROOT);
const screen = openRunScreen([...checks, ...integration], results);
const controlPlane = integration.some(({ cached }) => !cached) ? startSharedControlPlane() : undefined;
const first = await run(CHECKS, checkArgs, checkSlots, environment);
if (controlPlane !== undefined) screen.waitFor('the control plane');
const shared = await unlessEnding(Promise.resolve(controlPlane));
const problem = shared !== undefined && 'problem' in shared ? shared.problem : undefined;
const second =
	problem === undefined
		? await run(['test:int'], integrationArgs, 1, {
				...environment,
				...(shared !== undefined && 'file' in shared ? { KUBERNAUT_SHARED_CONTROL_PLANE: shared.file } : {}),
			})
		: { exitCode: 1, tasks: [] };
screen.close();
log.close();

const counted = [...first.tasks, ...second.tasks].map((task) => countTask(task, results, ROOT));
for (const line of ['', ...reportLines(counted)]) console.log(line);
// On stdout, like the line that follows: the last line is the last in whatever way the two are put together.
if (problem !== undefined) console.log(`\nThe integration tests did not run. ${problem}`);
const { line, exitCode } = verdict(counted, { turboFailed: first.exitCode + second.exitCode > 0, problem });
console.log(`\nThe whole output: ${log.path}`);
console.log(`In ${describeDuration(performance.now() - startedAt)}.\n\n${line}`);
await end(exitCode);

/** A phase of the run: turbo with these tasks, all of its output in the log, and on the screen what a person needs. */
async function run(
	tasks: readonly string[],
	args: readonly string[],
	slots: number,
	env: NodeJS.ProcessEnv,
): Promise<TurboRun> {
	screen.begin({ slots });
	const ended = await unlessEnding(
		runTurbo(directory, tasks, args, env, (output) => {
			log.write(output);
			screen.line(output);
		}),
	);
	screen.end(ended);
	return ended;
}

/** A value on failure: the other checks still run, and the reason stands at the end, where it is seen. */
async function startSharedControlPlane(): Promise<{ file: string } | { problem: string }> {
	try {
		const { obtainTekton, startControlPlane } = await import('@kubernaut/control-plane');
		const { applyCrdsWithoutTekton } = await import('@kubernaut/testkit/apply');
		const { describeControlPlane } = await import('@kubernaut/testkit/shared-control-plane');
		const started = await startControlPlane({ auditLog: true, prepare: applyCrdsWithoutTekton });
		stopControlPlane = () => started.stop();
		if (ending !== undefined) await started.stop(); // it came up while we were leaving
		screen.say(`Control plane: ${started.description}`);
		const file = join(directory, 'control-plane.json');
		writeFileSync(file, JSON.stringify(describeControlPlane(started)));
		// Built now, beside the checks, and not while tests measure time. Without Go the tests that need it are left out,
		// and a build that fails, fails there again.
		if (integration.some(({ package: name, cached }) => !cached && WITH_TEKTON.includes(name)))
			await obtainTekton().catch(() => {});
		return { file };
	} catch (error) {
		return { problem: error instanceof Error ? error.message : String(error) };
	}
}
