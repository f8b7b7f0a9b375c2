// Runs turbo tasks: their output line by line as it comes, and how each of them ended from turbo's own summary.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { startOwnedProcess } from '@kubernaut/workspace/owned-processes';

export type TaskName = { readonly task: string; readonly package: string };
export type PlannedTask = TaskName & { readonly cached: boolean };
export type TaskResult = { task: string; package: string; directory: string; exitCode: number; cached: boolean };
export type TurboRun = { exitCode: number; tasks: TaskResult[] };
/** `of` is absent for what turbo itself says. */
export type OutputLine = { readonly of: TaskName | undefined; readonly text: string };

type Summary = {
	tasks: {
		task: string;
		package: string;
		directory: string;
		command: string;
		cache: { status: 'HIT' | 'MISS' };
		execution?: { exitCode: number | null };
	}[];
};

const NO_COMMAND = '<NONEXISTENT>';

/** What a run of these tasks would do, and what of it is cached. */
export async function plannedTasks(
	directory: string,
	tasks: readonly string[],
	args: readonly string[],
	env: NodeJS.ProcessEnv,
): Promise<PlannedTask[]> {
	let output = '';
	const exitCode = await turbo(directory, ['run', ...tasks, '--dry=json', ...args], env, {
		onOutput: (line) => (output += `${line}\n`),
		onError: () => {},
	});
	if (exitCode !== 0) return []; // the run itself will fail in the same way, and say why
	const { tasks: found } = JSON.parse(output.slice(output.indexOf('{'))) as Summary;
	return found
		.filter(({ command }) => command !== NO_COMMAND)
		.map(({ task, package: name, cache }) => ({ task, package: shortName(name), cached: cache.status === 'HIT' }));
}

/** `directory`: of owned processes, so that turbo ends with us. */
export async function runTurbo(
	directory: string,
	tasks: readonly string[],
	args: readonly string[],
	env: NodeJS.ProcessEnv,
	onLine: (line: OutputLine) => void,
): Promise<TurboRun> {
	let summaryFile: string | undefined;
	const exitCode = await turbo(directory, ['run', ...tasks, '--continue', '--summarize', '--json', ...args], env, {
		onOutput(text) {
			const line = outputLine(text);
			if (line.of === undefined) summaryFile ??= /^Summary:\s+(.*\.json)$/.exec(line.text)?.[1];
			onLine(line);
		},
		onError: (text) => onLine({ of: undefined, text }),
	});
	if (summaryFile === undefined) return { exitCode: exitCode || 1, tasks: [] };
	const summary = JSON.parse(readFileSync(summaryFile, 'utf8')) as Summary;
	return {
		exitCode,
		tasks: summary.tasks
			.filter((task) => task.command !== NO_COMMAND)
			.map((task) => ({
				task: task.task,
				package: shortName(task.package),
				directory: task.directory,
				exitCode: task.execution?.exitCode ?? 1, // it never got to run
				cached: task.cache.status === 'HIT',
			})),
	};
}

function shortName(packageName: string): string {
	return packageName.replace('@kubernaut/', '');
}

/** turbo writes one JSON object a line: `source` is "<package>#<task>", or "turbo". */
function outputLine(line: string): OutputLine {
	try {
		const { source, text } = JSON.parse(line) as { source: string; text: string };
		const [, packageName, task] = /^(.*)#(.*)$/.exec(source) ?? [];
		if (packageName === undefined || task === undefined) return { of: undefined, text };
		return { of: { package: shortName(packageName), task }, text };
	} catch {
		return { of: undefined, text: line }; // not everything that turbo says goes through its log
	}
}

type Listeners = { onOutput(line: string): void; onError(line: string): void };

function turbo(
	directory: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv,
	{ onOutput, onError }: Listeners,
): Promise<number> {
	return new Promise((resolve, reject) => {
		const child = startOwnedProcess(directory, 'turbo', ['turbo', ...args], {
			output: 'pipe',
			env: { ...process.env, ...env },
		});
		child.once('error', reject);
		const ended = [
			new Promise<number>((done) => child.once('close', (code) => done(code ?? 1))),
			lines(child.stdout, onOutput),
			lines(child.stderr, onError),
		] as const;
		void Promise.all(ended).then(([exitCode]) => resolve(exitCode));
	});
}

function lines(stream: NodeJS.ReadableStream | null, onLine: (line: string) => void): Promise<void> {
	if (stream === null) return Promise.resolve();
	const reader = createInterface({ input: stream });
	reader.on('line', onLine);
	return new Promise((resolve) => reader.once('close', resolve));
}
