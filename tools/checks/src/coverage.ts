// `npm run coverage -- <app>`: its unit tests, and the share of lines of its own code that they run. Mirrored folders are tested
// where they are written, and generated ones hold types. Exit codes: those of vitest, 0 when every test passed and the share is
// what the app's vitest.config.ts asks for.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Argument, Command } from 'commander';

const APPS = ['notification'];

const program = new Command('npm run coverage --')
	.description("Runs an app's unit tests and counts the lines of its own code that they run.")
	.addArgument(new Argument('<app>', 'app under test').choices(APPS))
	.helpOption('--help', 'this page')
	.action((app: string) => {
		const child = spawn('vitest', ['run', '--coverage'], {
			cwd: join(process.cwd(), 'apps', app),
			stdio: 'inherit',
		});
		// A terminal sends Ctrl-C to vitest as well, which cleans up; we leave with its answer.
		process.on('SIGINT', () => {});
		process.on('SIGTERM', () => child.kill('SIGTERM'));
		child.on('error', (error) => {
			console.error(`Could not start vitest: ${error.message}`);
			process.exit(1);
		});
		child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
	});
await program.parseAsync();
