// `npm run manifests:check`: everything about deploy/ that can be known without a cluster. The overlays on a real API server,
// rules with promtool, queries against real processes; then each app with its Role, and with its Role less each of its rules.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { obtainPart } from '@kubernaut/control-plane';
import { Command } from 'commander';

type Step = { readonly what: string; readonly directory: string; readonly filter: readonly string[] };

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const APPS = ['gateway', 'orchestrator', 'workflow-executor', 'notification'];

new Command('npm run manifests:check --')
	.description('Renders every overlay and checks it: strictly, on a real API server, with the rights of each app.')
	.helpOption('--help', 'this page')
	.parse();

const STEPS: Step[] = [
	{ what: 'overlays, priority of lock traffic, rules, dashboards', directory: 'tools/manifests', filter: [] },
	...APPS.map((app) => ({ what: `rights of ${app}`, directory: `apps/${app}`, filter: ['test/rights'] })),
];

let child: ReturnType<typeof spawn> | undefined;
let interrupted = false;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
	process.on(name, () => {
		interrupted = true;
		child?.kill(name);
	});

await obtainPart('kustomize');
await obtainPart('promtool');
const failed: string[] = [];
for (const step of STEPS) {
	if (interrupted) break;
	console.log(`\n== ${step.what}`);
	if ((await vitest(step)) !== 0) failed.push(step.what);
}
if (interrupted) process.exitCode = 130;
else if (failed.length > 0) {
	console.error(`\nFailed: ${failed.join('; ')}`);
	process.exitCode = 1;
} else console.log('\nAll manifests are as they should be.');

function vitest({ directory, filter }: Step): Promise<number> {
	const { promise, resolve: settle } = Promise.withResolvers<number>();
	child = spawn('vitest', ['run', '--config', 'vitest.int.config.ts', ...filter], {
		cwd: join(ROOT, directory),
		stdio: 'inherit',
		env: { ...process.env, KUBERNAUT_ALL_PARTS: '1' },
	});
	child.on('close', (code) => settle(code ?? 1));
	return promise;
}
