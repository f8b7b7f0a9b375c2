// `npm run robustness -- <app> --rounds 50`: the app's faults at random moments, in as many rounds as asked for. `npm test` runs
// the same file with a round of each fault. Exit codes: those of vitest, 0 when every round held.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Argument, Command, InvalidArgumentError } from 'commander';

/** By the names that benches have as well. */
const APPS: Readonly<Record<string, string>> = {
	orchestrator: 'orchestrator',
	executor: 'workflow-executor',
	notification: 'notification',
};

const program = new Command('npm run robustness --')
	.description('Kills, stops and disconnects replicas at random moments, in rounds, and checks the result of each.')
	.addArgument(new Argument('<app>', 'app under test').choices(Object.keys(APPS)))
	.option('--rounds <number>', 'number of rounds', wholeNumber, 50)
	.option('--seed <number>', 'repeat the choices of a run that printed it', wholeNumber)
	.helpOption('--help', 'this page')
	.action((app: string, options: { rounds: number; seed?: number }) => {
		const child = spawn('vitest', ['run', '--config', 'vitest.int.config.ts', 'test/robustness.int.test.ts'], {
			cwd: join(process.cwd(), 'apps', APPS[app] ?? app),
			stdio: 'inherit',
			env: {
				...process.env,
				KUBERNAUT_ROBUSTNESS_ROUNDS: String(options.rounds),
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
