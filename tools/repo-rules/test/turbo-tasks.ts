// Asks turbo what it would run after a change, without running it, on a copy of this repository. turbo needs neither
// pnpm nor an installation for that.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { copyTree, ROOT } from '../src/tree.ts';

export const TASKS = ['build', 'typecheck', 'lint', 'test', 'test:int'] as const;

type TurboCopy = {
	/** Every task that has a command: "@kubernaut/gateway#build". */
	readonly tasks: readonly string[];
	/** Those that would run again after a line is added to the file. */
	tasksAfterChanging(path: string): string[];
	/** Those that would run again in an environment with these as well. */
	tasksWith(environment: NodeJS.ProcessEnv): string[];
	/** The files, from the root, on which the answer to a task depends. */
	inputsOf(task: string): string[];
	remove(): void;
};

type DryTask = { taskId: string; hash: string; command: string; directory: string; inputs: Record<string, string> };

const TURBO = join(ROOT, 'node_modules', '.bin', 'turbo');

export function copyThisRepository(): TurboCopy {
	const copy = mkdtempSync(join(tmpdir(), 'repo-rules-turbo-'));
	copyTree(ROOT, copy);
	const tasks = dryRun(copy);
	const before = hashesOf(tasks);
	const changed = (after: ReadonlyMap<string, string>) =>
		[...after.keys()].filter((task) => after.get(task) !== before.get(task)).toSorted();
	return {
		tasks: [...before.keys()].toSorted(),
		tasksWith: (environment) => changed(hashesOf(dryRun(copy, environment))),
		inputsOf(task) {
			const { directory = '', inputs = {} } = tasks.find(({ taskId }) => taskId === task) ?? {};
			return Object.keys(inputs).map((path) => posix.join(directory, path));
		},
		tasksAfterChanging(path) {
			const file = join(copy, path);
			const original = existsSync(file) ? readFileSync(file) : undefined;
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, `${original?.toString() ?? ''}\n// changed\n`);
			try {
				return changed(hashesOf(dryRun(copy)));
			} finally {
				if (original === undefined) rmSync(file);
				else writeFileSync(file, original);
			}
		},
		remove: () => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }),
	};
}

function hashesOf(tasks: readonly DryTask[]): Map<string, string> {
	return new Map(tasks.map(({ taskId, hash }) => [taskId, hash]));
}

function dryRun(root: string, environment: NodeJS.ProcessEnv = {}): DryTask[] {
	const output = execFileSync(TURBO, ['run', ...TASKS, '--dry=json'], {
		cwd: root,
		encoding: 'utf8',
		env: { ...withoutTurbo(process.env), ...environment },
		stdio: ['ignore', 'pipe', 'ignore'],
		maxBuffer: 64 * 1024 * 1024,
	});
	const { tasks } = JSON.parse(output) as { tasks: DryTask[] };
	return tasks.filter(({ command }) => command !== '<NONEXISTENT>');
}

/** The tests run inside a turbo task themselves, and its variables are not meant for another turbo. */
function withoutTurbo(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const rest = Object.entries(environment).filter(([name]) => !name.startsWith('TURBO_'));
	return { ...Object.fromEntries(rest), TURBO_TELEMETRY_DISABLED: '1' };
}
