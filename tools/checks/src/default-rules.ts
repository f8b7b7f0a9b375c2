// `npm run default-rules`: kube-prometheus-stack's default rules in a real Prometheus, a real Alertmanager and a gateway.
// Takes one to three minutes, and some more the first time, when Prometheus is built. Exit codes: those of vitest.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Command } from 'commander';

const program = new Command('npm run default-rules --')
	.description('Fires the default alerts of kube-prometheus-stack, and checks that each gets the right target.')
	.option('--write', 'write the table of docs/targets.md anew')
	.helpOption('--help', 'this page')
	.action(({ write }: { write?: boolean }) => {
		const child = spawn('vitest', ['run', '--config', 'vitest.default-rules.config.ts'], {
			cwd: join(process.cwd(), 'apps', 'gateway'),
			stdio: 'inherit',
			env: { ...process.env, ...(write ? { KUBERNAUT_WRITE_DOCS: '1' } : {}) },
		});
		// A terminal sends Ctrl-C to vitest as well, which cleans up; we leave with its answer.
		process.on('SIGINT', () => {});
		process.on('SIGTERM', () => child.kill('SIGTERM'));
		child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
	});
await program.parseAsync();
