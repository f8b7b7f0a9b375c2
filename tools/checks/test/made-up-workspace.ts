// A small workspace in a temporary directory on which `npm test` runs for real: real turbo, real processes. Its
// packages are run by npm, which is there wherever Node is, and report as vitest does.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const CHECKS = join(ROOT, 'tools', 'checks', 'src', 'checks.ts');

/** Stands in for vitest: says that it ran, writes the counts where our vitest settings do, fails when counts.json says so. */
const TEST_PROGRAM = `
	import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
	import { join } from 'node:path';
	const [kind] = process.argv.slice(2);
	const name = process.env.npm_package_name.replace('@kubernaut/', '');
	const { passed, failed, hang } = JSON.parse(readFileSync('counts.json', 'utf8'));
	appendFileSync('../../ran.log', name + ' ' + kind + '\\n');
	const report = JSON.stringify({ numPassedTests: passed, numFailedTests: failed, numPendingTests: 0 });
	// As tests do that provoke a failure, and as vitest does when one fails.
	console.error('\\x1b[31mError: provoked by a test of ' + name + '\\x1b[0m\\n    at provoke (test.ts:1:1)');
	if (failed > 0) console.log(' FAIL  src/broken.test.ts\\nAssertionError: expected ' + name + ' to be whole');
	if (hang) {
		writeFileSync('../../.hanging-' + process.pid, process.env.KUBERNAUT_SHARED_CONTROL_PLANE ?? '');
		renameSync('../../.hanging-' + process.pid, '../../hanging-' + process.pid);
		while (!existsSync('../../go-on')) await new Promise((resolve) => setTimeout(resolve, 50));
	}
	mkdirSync('test-results', { recursive: true });
	for (const file of ['test-results/' + kind + '.json', join(process.env.KUBERNAUT_TEST_RESULTS, name + '.' + kind + '.json')])
		writeFileSync(file, report);
	process.exit(failed > 0 ? 1 : 0);
`;

const TURBO = {
	ui: 'stream',
	globalPassThroughEnv: ['KUBERNAUT_*'],
	tasks: {
		build: {},
		typecheck: {},
		lint: {},
		test: { outputs: ['test-results/unit.json'] },
		'test:int': { env: ['KUBERNAUT_TEST_KUBECONFIG'], outputs: ['test-results/int.json'] },
		'//#format:check': {},
	},
};

export type Counts = { passed: number; failed: number /** Until `goOn`. */; hang?: boolean };
/** What a task of a package does: run its tests of a kind, or just end well or badly. */
export type Doing = 'unit' | 'int' | 'good' | 'bad';
export type Run = {
	child: ChildProcess;
	output(): string;
	/** The exit code, or the signal that ended it. */
	exited: Promise<number | NodeJS.Signals>;
};
export type Workspace = {
	readonly root: string;
	/** For this run alone: where it keeps what it starts. */
	readonly cache: string;
	addPackage(name: string, counts: Counts, tasks?: Readonly<Record<string, Doing>>): void;
	start(args?: readonly string[], environment?: NodeJS.ProcessEnv): Run;
	run(args?: readonly string[], environment?: NodeJS.ProcessEnv): Promise<{ code: number | string; output: string }>;
	/** The tests that really ran since the last look: "gateway unit". */
	ran(): string[];
	/** One for each test that hangs: what it knows of the control plane. */
	hanging(): string[];
	goOn(): void;
	/** Processes and directories that runs have left. */
	left(): string[];
	remove(): void;
};

export function madeUpWorkspace(): Workspace {
	const root = realpathSync(mkdtempSync(join(tmpdir(), 'made-up-workspace-')));
	const cache = join(root, '.cache');
	const scripts = { 'format:check': 'true' };
	const manifest = { name: 'made-up', private: true, packageManager: 'npm@11.0.0', workspaces: ['apps/*'], scripts };
	writeFileSync(join(root, 'package.json'), JSON.stringify(manifest));
	writeFileSync(join(root, 'turbo.json'), JSON.stringify(TURBO));
	writeFileSync(join(root, '.gitignore'), 'ran.log\n*hanging-*\ngo-on\n.cache\n.turbo\ntest-results\n');

	function start(args: readonly string[] = [], environment: NodeJS.ProcessEnv = {}): Run {
		const env = { ...ownEnvironment(), KUBERNAUT_CACHE_DIR: cache, ...environment };
		const child = spawn(process.execPath, [CHECKS, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
		let output = '';
		for (const stream of [child.stdout, child.stderr])
			stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
		const exited = new Promise<number | NodeJS.Signals>((resolve) =>
			child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
		);
		return { child, output: () => output, exited };
	}

	return {
		root,
		cache,
		addPackage(name, counts, tasks = { test: 'unit' }) {
			const directory = join(root, 'apps', name);
			mkdirSync(directory, { recursive: true });
			// By its whole path, so that it is found among the processes.
			const program = join(directory, 'test.mjs');
			const commands = { unit: `node "${program}" unit`, int: `node "${program}" int`, good: 'true', bad: 'false' };
			const own = Object.fromEntries(Object.entries(tasks).map(([task, doing]) => [task, commands[doing]]));
			writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: `@kubernaut/${name}`, scripts: own }));
			writeFileSync(join(directory, 'counts.json'), JSON.stringify(counts));
			writeFileSync(program, TEST_PROGRAM);
		},
		start,
		async run(args, environment) {
			const run = start(args, environment);
			const code = await run.exited;
			return { code, output: run.output() };
		},
		ran() {
			const log = join(root, 'ran.log');
			const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
			rmSync(log, { force: true });
			return lines.toSorted();
		},
		hanging: () =>
			readdirSync(root)
				.filter((name) => name.startsWith('hanging-'))
				.map((name) => readFileSync(join(root, name), 'utf8')),
		goOn: () => writeFileSync(join(root, 'go-on'), ''),
		left: () => [...filesIn(join(cache, 'running')), ...processesIn(root)],
		remove() {
			for (const line of processesIn(root)) spawnSync('kill', ['-KILL', line.split(' ')[0] ?? '']); // or it has ended
			rmSync(root, { recursive: true, force: true, maxRetries: 10 });
		},
	};
}

/** We run inside a turbo task ourselves, and perhaps beside a control plane; neither is meant for another run. */
function ownEnvironment(): NodeJS.ProcessEnv {
	const foreign = /^(?:TURBO_|KUBERNAUT_|KUBEBUILDER_|KUBECONFIG$|npm_|INIT_CWD$|VITEST|NODE_ENV$)/;
	const rest = Object.entries(process.env).filter(([name]) => !foreign.test(name));
	const path = [join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
	return { ...Object.fromEntries(rest), PATH: path, TURBO_TELEMETRY_DISABLED: '1', npm_config_loglevel: 'error' };
}

function filesIn(directory: string): string[] {
	return existsSync(directory) ? readdirSync(directory) : [];
}

/** All that name it, and, where the system says so, all that work in it (turbo): "<pid> <command>". */
function processesIn(root: string): string[] {
	const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pid=', '-o', 'args='], { encoding: 'utf8' });
	return stdout
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line.includes(root) || workingDirectory(line.split(' ')[0] ?? '').startsWith(root));
}

function workingDirectory(pid: string): string {
	try {
		return readlinkSync(`/proc/${pid}/cwd`);
	} catch {
		return ''; // it has ended, or this is no Linux
	}
}
