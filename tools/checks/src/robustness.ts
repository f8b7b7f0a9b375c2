// `npm run robustness -- <app> --rounds 50`: the app's faults at random moments, in as many rounds as asked for. `npm test` runs
// the same file with a round of each fault. `-- notification --default-times` runs its tests of the pace and of replicas that fail
// with the times that a cluster has, where `npm test` shortens them. Exit codes: those of vitest, 0 when every round held.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Argument, Command, InvalidArgumentError } from 'commander';

/** By the names that benches have as well. */
const APPS: Readonly<Record<string, string>> = {
	orchestrator: 'orchestrator',
	executor: 'workflow-executor',
	notification: 'notification',
};

const DEFAULT_TIMES_FILES = ['test/locking-on.int.test.ts', 'test/kill-points.int.test.ts'];

const program = new Command('npm run robustness --')
	.description('Kills, stops and disconnects replicas at random moments, in rounds, and checks the result of each.')
	.addArgument(new Argument('<app>', 'app under test').choices(Object.keys(APPS)))
	.option('--rounds <number>', 'number of rounds', wholeNumber, 50)
	.option('--seed <number>', 'repeat the choices of a run that printed it', wholeNumber)
	.option('--default-times', 'instead of rounds: pace and failing replicas, with no time shortened; notification only')
	.helpOption('--help', 'this page')
	.action((app: string, options: { rounds: number; seed?: number; defaultTimes?: true }) => {
		if (options.defaultTimes && app !== 'notification') program.error('--default-times is for notification alone');
		const files = options.defaultTimes ? DEFAULT_TIMES_FILES : ['test/robustness.int.test.ts'];
		const child = spawn('vitest', ['run', '--config', 'vitest.int.config.ts', ...files], {
			cwd: join(process.cwd(), 'apps', APPS[app] ?? app),
			stdio: 'inherit',
			env: {
				...process.env,
				KUBERNAUT_ROBUSTNESS_ROUNDS: String(options.rounds),
				...(options.defaultTimes ? { KUBERNAUT_DEFAULT_TIMES: '1' } : {}),
				...(options.seed === undefined ? {} : { KUBERNAUT_SEED: String(options.seed) }),
			},
		});
		// A terminal sends Ctrl-C to vitest as well, which cleans up; we leave with its answer.
		process.on('SIGINT', () => {});
		process.on('SIGTERM', () => child.kill('SIGTERM'));
		child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
	});
await program.parseAsync();

function wholeNumber(text: string): number {
	if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('must be a whole number');
	return Number(text);
}
