// Stops a process so that it does nothing any more when this returns. kill() alone says that the signal is on its way:
// until every thread has noticed, it goes on working, and can still answer.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './error-code.mjs';

const POLL_MS = 2;

/** SIGCONT lets it go on. A process that is gone needs no pause. */
export async function pauseProcess(pid: number): Promise<void> {
	try {
		process.kill(pid, 'SIGSTOP');
	} catch (error) {
		if (codeOf(error) === 'ESRCH') return;
		throw error;
	}
	while (!standsStill(pid)) await delay(POLL_MS);
}

/** Stopped or gone, with all its threads. */
export function standsStill(pid: number): boolean {
	return statesOf(pid).every((state) => 'TtZX'.includes(state));
}

function statesOf(pid: number): string[] {
	if (!existsSync('/proc/self/stat')) return statesFromPs(pid);
	const tasks = `/proc/${pid}/task`;
	try {
		return readdirSync(tasks).map((task) => stateOfTask(`${tasks}/${task}/stat`));
	} catch {
		return []; // no such process
	}
}

function stateOfTask(path: string): string {
	try {
		// The command's name is in parentheses and may hold spaces.
		return readFileSync(path, 'utf8').replace(/^.*\) /s, '')[0] ?? 'X';
	} catch {
		return 'X'; // it ended meanwhile
	}
}

/** For systems without /proc. */
function statesFromPs(pid: number): string[] {
	const { stdout } = spawnSync('/bin/ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
	return (stdout ?? '').split('\n').flatMap((line) => line.trim()[0] ?? []);
}
