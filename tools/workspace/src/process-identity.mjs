// A pid alone names nobody: after a crash or a restart of the machine it is given to somebody else. Pid and start
// time together do.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** @typedef {{ pid: number, startedAt: string }} ProcessIdentity */

/**
 * When the process started, in the system's own words; undefined when it does not run (a zombie does not).
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startTimeOf(pid) {
	return existsSync('/proc/self/stat') ? startTimeFromProc(pid) : startTimeFromPs(pid);
}

/** @returns {ProcessIdentity} */
export function ownIdentity() {
	const startedAt = startTimeOf(process.pid);
	// Without it, everybody would take us for dead, our locks for free and our processes for abandoned.
	if (startedAt === undefined) throw new Error('the system does not tell when this process started (/proc or ps)');
	return { pid: process.pid, startedAt };
}

/** @param {ProcessIdentity} identity */
export function isAlive(identity) {
	return startTimeOf(identity.pid) === identity.startedAt;
}

/** @param {number} pid */
function startTimeFromProc(pid) {
	try {
		// The command's name is in parentheses and may hold spaces: count fields after the last one.
		const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ');
		return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${fields[19]} ticks after boot ${bootId()}`;
	} catch {
		return undefined; // no such process
	}
}

/** The ticks count from the start of the machine, and every start gives the same low pids again. */
function bootId() {
	try {
		return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
	} catch {
		return 'unknown'; // hidden in some sandboxes
	}
}

/**
 * For systems without /proc. The words of `ps` depend on language and time zone, which differ between callers.
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startTimeFromPs(pid) {
	const ps = spawnSync('/bin/ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], {
		encoding: 'utf8',
		env: { LC_ALL: 'C', TZ: 'UTC' },
	});
	const [state, ...startedAt] = ps.stdout?.trim().split(/\s+/) ?? [];
	return ps.status !== 0 || !state || state.startsWith('Z') ? undefined : startedAt.join(' ');
}
