// What a person sees of a run: which tasks run and how many are done, and the whole output of a task that failed. Of a
// task that passed nothing is shown: tests that provoke failures print them, and a green run has no error on the screen.
import { startProgress } from '@kubernaut/workspace/progress';
import { readCounts, type TestKind, testKind } from './test-counts.ts';
import type { OutputLine, PlannedTask, TaskName, TaskResult, TurboRun } from './turbo.ts';

type Stream = { write(text: string): unknown; isTTY?: boolean | undefined; columns?: number | undefined };

const TICK_MS = 1000;
/** After the counts of a task are there, its last lines may still be on their way. */
const LAST_LINES_TICKS = 2;

export type RunScreen = {
	/** A line above the progress. */
	say(text: string): void;
	waitFor(what: string): void;
	begin(phase: { slots: number }): void;
	line(line: OutputLine): void;
	/** Shows what failed in the phase and was not shown before. */
	end(run: TurboRun): void;
	close(): void;
};

export function openRunScreen(
	planned: readonly PlannedTask[],
	resultsDirectory: string,
	stream: Stream = process.stdout,
): RunScreen {
	const progress = startProgress('Checks', stream); // short: a terminal may have 80 columns
	const outputs = new Map<string, string[]>();
	const ownLines: string[] = [];
	const shown = new Set<string>();
	let started = new Map<string, TaskName & { kind: TestKind | undefined; ticksSinceEnd: number }>();
	let doneBefore = 0;
	let slots = 1;
	const total = planned.length;

	const say = (text: string) => void stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${text}\n`);
	const show = (task: TaskName) => {
		if (shown.has(idOf(task))) return;
		shown.add(idOf(task));
		say(['', `${nameOf(task)} failed:`, ...(outputs.get(idOf(task)) ?? []).map((line) => `  ${line}`), ''].join('\n'));
	};

	const running = () => [...started.values()].filter(({ ticksSinceEnd }) => ticksSinceEnd === 0);
	/** turbo does not say when a task ends. Tests leave their counts; a check is over when the next needs its slot. */
	function endChecksWithoutSlot(): void {
		const checks = running().filter(({ kind }) => kind === undefined);
		for (const check of checks.slice(0, Math.max(0, running().length - slots))) check.ticksSinceEnd = 1;
	}
	function tick(): void {
		for (const task of started.values()) {
			if (task.kind === undefined) continue;
			const counts = readCounts(resultsDirectory, task.package, task.kind);
			if (counts !== undefined) task.ticksSinceEnd++;
			if (task.ticksSinceEnd >= LAST_LINES_TICKS && counts !== undefined && counts.failed > 0) show(task);
		}
		const now = running();
		const done = doneBefore + started.size - now.length;
		progress.update(`${done} of ${total} done; ${now.map(nameOf).join(', ') || 'starting'}`);
	}
	const timer = setInterval(tick, TICK_MS).unref();

	return {
		say,
		waitFor: (what) => progress.update(`${doneBefore} of ${total} done; waiting for ${what}`),
		begin(phase) {
			started = new Map();
			slots = phase.slots;
		},
		line({ of, text }) {
			if (of === undefined) return void ownLines.push(text);
			const id = idOf(of);
			const ended = text.startsWith('cache hit') ? 1 : 0;
			if (!started.has(id)) started.set(id, { ...of, kind: testKind(of.task), ticksSinceEnd: ended });
			endChecksWithoutSlot();
			const output = outputs.get(id) ?? [];
			output.push(text);
			outputs.set(id, output);
		},
		end({ exitCode, tasks }) {
			doneBefore += tasks.length;
			started = new Map();
			const failed = tasks.filter((task: TaskResult) => task.exitCode !== 0);
			for (const task of failed) show(task);
			if (exitCode !== 0 && failed.length === 0) say(ownLines.join('\n'));
			ownLines.length = 0;
		},
		close() {
			clearInterval(timer);
			progress.stop('done');
		},
	};
}

function idOf({ package: name, task }: TaskName): string {
	return `${name}#${task}`;
}

function nameOf({ package: name, task }: TaskName): string {
	return `${name} ${task}`;
}
