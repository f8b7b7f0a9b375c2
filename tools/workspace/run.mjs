// The door of every command of this workspace: `npm test`, `npm run demo`, `pnpm verify`, ...
// Needs Node and npm only. Sets up what is missing (the right pnpm, the dependencies, the right Node), then hands
// over. Plain JavaScript for Node 20 and later, because nothing is installed yet when it starts.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makePathsAbsolute } from './src/absolute-paths.mjs';
import { whenOrphaned } from './src/orphan.mjs';
import { lookUp } from './src/process-table.mjs';
import { setUp } from './src/set-up.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** @type {Record<string, { what: string, firstLine?: string, script?: string, run?: string[] }>} */
const COMMANDS = {
	test: { what: 'lint, types, unit and integration tests', script: 'tools/checks/src/checks.ts' },
	demo: {
		what: 'the platform at work on a real control plane',
		// Before the set-up, which may take minutes on a new machine.
		firstLine:
			'Kubernaut turns an alert into exactly one remediation, whatever the number of replicas that see it. The demo takes about a minute, and 10 to 15 more the first time, when it builds a control plane with Tekton.',
		script: 'tools/demo/src/demo.ts',
	},
	verify: { what: 'generate, check, and see that the tree is clean', script: 'tools/checks/src/verify.ts' },
	generate: { what: 'write the generated types and tables anew', script: 'tools/checks/src/generate.ts' },
	'control-plane': { what: 'a real API server by hand: up, down, status', script: 'tools/control-plane/src/cli.ts' },
	bench: { what: 'measure, against the floor and the targets', script: 'tools/bench/src/cli.ts' },
	robustness: { what: 'faults at random moments, many rounds', script: 'tools/checks/src/robustness.ts' },
	'default-rules': {
		what: "kube-prometheus-stack's default rules, and the targets of their alerts",
		script: 'tools/checks/src/default-rules.ts',
	},
	coverage: { what: "lines of an app's own code that unit tests run", script: 'tools/checks/src/coverage.ts' },
	images: { what: 'bundle the apps and build their images', script: 'tools/images/src/cli.ts' },
	e2e: { what: 'the scenarios of e2e/ on a kind cluster, or as processes', script: 'e2e/src/cli.ts' },
	'e2e:node-image': {
		what: 'the images of a kind cluster, built without pulling any',
		script: 'tools/kind/src/node-image-cli.ts',
	},
	'manifests:check': { what: 'render the overlays and check them', script: 'tools/manifests/src/cli.ts' },
	build: { what: 'bundle the apps', run: ['turbo', 'run', 'build'] },
	typecheck: { what: 'types only', run: ['turbo', 'run', 'typecheck'] },
	lint: { what: 'lint only', run: ['turbo', 'run', 'lint'] },
	format: { what: 'format in place', run: ['biome', 'check', '--write', '.'] },
};

const [command, ...args] = process.argv.slice(2);
const entry = command === undefined ? undefined : COMMANDS[command];
if (entry === undefined) {
	const asked = command !== undefined && !['--help', '-h', 'help'].includes(command);
	if (asked) console.error(`There is no command "${command}".`);
	console.log('Usage: npm run <command> [-- arguments]      (npm test for short; -- --help says more)\n');
	for (const [name, { what }] of Object.entries(COMMANDS)) console.log(`  ${name.padEnd(15)} ${what}`);
	process.exit(asked ? 2 : 0);
}

if (entry.firstLine !== undefined && !args.includes('--help')) console.log(entry.firstLine);
makePathsAbsolute(process.env, process.env['INIT_CWD'] ?? process.cwd()); // npm starts us in the root

/** @type {import('node:child_process').ChildProcess | undefined} */
let child;
whenOrphaned(() => (child ? child.kill('SIGTERM') : process.exit(143)));

const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const ready = await setUp(ROOT, packageManager.replace('pnpm@', ''));
if ('problem' in ready) {
	console.error(`\n${ready.problem}`);
	process.exit(1);
}

const path = [join(ROOT, 'node_modules', '.bin'), ready.pnpmDirectory, process.env['PATH']].join(delimiter);
const [program = ready.node, ...programArgs] = entry.run ?? [
	ready.node,
	join(ROOT, /** @type {string} */ (entry.script)),
];
child = spawn(program, [...programArgs, ...args], {
	cwd: ROOT,
	stdio: 'inherit',
	env: { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
});
child.on('error', (error) => {
	console.error(`Could not start ${program}: ${error.message}`);
	process.exit(1);
});

for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP'])) process.on(signal, () => child?.kill(signal));
let interrupted = false;
process.on('SIGINT', () => {
	// Once: most programs take a second one as the wish to end without clean-up.
	if (!interrupted && !terminalTellsAll()) child?.kill('SIGINT');
	interrupted = true;
});
child.on('exit', (code, signal) => {
	process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
	process.exit();
});

/** A terminal sends Ctrl-C to every process in the foreground: to the child as well, which cleans up. */
function terminalTellsAll() {
	const own = lookUp(process.pid);
	return own !== undefined && own.group === own.terminalGroup;
}
