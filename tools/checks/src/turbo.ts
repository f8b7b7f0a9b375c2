// Runs turbo tasks and reads from turbo's own summary how each of them ended.
import { readFileSync } from 'node:fs';
import { startOwnedProcess } from '@kubernaut/workspace/owned-processes';

export type TaskResult = { task: string; package: string; directory: string; exitCode: number; cached: boolean };
export type TurboRun = { exitCode: number; tasks: TaskResult[] };

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

/** The tasks that would run because nothing cached answers for them. */
export async function tasksToRun(
	directory: string,
	task: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv,
): Promise<string[]> {
	const { exitCode, output } = await turbo(directory, ['run', task, '--dry=json', ...args], env, () => {});
	if (exitCode !== 0) return []; // the run itself will fail in the same way, and say why
	const { tasks } = JSON.parse(output.slice(output.indexOf('{'))) as Summary;
	return tasks
		.filter((found) => found.task === task && found.command !== NO_COMMAND && found.cache.status === 'MISS')
		.map((found) => found.package);
}

/** `directory`: of owned processes, so that turbo ends with us. */
export async function runTurbo(
	directory: string,
	tasks: readonly string[],
	args: readonly string[],
	env: NodeJS.ProcessEnv,
): Promise<TurboRun> {
	const { exitCode, output } = await turbo(
		directory,
		['run', ...tasks, '--continue', '--summarize', ...args],
		env,
		(text) => process.stdout.write(text),
	);
	const path = /^Summary:\s+(.*\.json)$/m.exec(stripColours(output))?.[1];
	if (path === undefined) return { exitCode: exitCode || 1, tasks: [] };
	const summary = JSON.parse(readFileSync(path, 'utf8')) as Summary;
	return {
		exitCode,
		tasks: summary.tasks
			.filter((task) => task.command !== NO_COMMAND)
			.map((task) => ({
				task: task.task,
				package: task.package.replace('@kubernaut/', ''),
				directory: task.directory,
				exitCode: task.execution?.exitCode ?? 1, // it never got to run
				cached: task.cache.status === 'HIT',
			})),
	};
}

function turbo(
	directory: string,
	args: readonly string[],
	env: NodeJS.ProcessEnv,
	onOutput: (text: string) => void,
): Promise<{ exitCode: number; output: string }> {
	return new Promise((resolve, reject) => {
		const child = startOwnedProcess(directory, 'turbo', ['turbo', ...args], {
			output: 'pipe',
			env: { ...process.env, ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}), ...env },
		});
		let output = '';
		const collect = (chunk: Buffer) => {
			output += chunk.toString();
			onOutput(chunk.toString());
		};
		child.stdout?.on('data', collect);
		child.stderr?.on('data', (chunk: Buffer) => onOutput(chunk.toString()));
		child.once('error', reject);
		child.once('close', (code) => resolve({ exitCode: code ?? 1, output }));
	});
}

function stripColours(text: string): string {
	// oxlint-disable-next-line no-control-regex -- that is what colours are
	return text.replaceAll(/\x1b\[[0-9;]*m/g, '');
}
