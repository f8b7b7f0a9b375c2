// What the system knows about processes: from /proc where there is one, else from `ps`.
// Guarantee: "not there" is said only of a process that has ended (a zombie has). When we cannot look (no file handle
// left, no permission), that is an error: taken for an end, it would cost a living process its lock or its directory.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { codeOf } from './error-code.mjs';

/**
 * `startedAt` is in the system's own words. `terminalGroup` is the group that gets the terminal's Ctrl-C, and no group
 * where there is no terminal.
 * @typedef {{ pid: number, parent: number, group: number, terminalGroup: number, startedAt: string }} RunningProcess
 */

const PS_COLUMNS = ['pid', 'ppid', 'pgid', 'tpgid', 'stat', 'lstart'].flatMap((name) => ['-o', `${name}=`]);

/**
 * @param {number} pid
 * @returns {RunningProcess | undefined}
 */
export function lookUp(pid) {
	return hasProc() ? lookUpInProc(pid) : lookUpWithPs(pid);
}

/**
 * Everybody in the session that the process with this pid began, itself too. Without /proc only as long as the
 * parents of those are there.
 * @param {number} pid
 * @returns {RunningProcess[]}
 */
export function sessionOf(pid) {
	return hasProc() ? allInProc().filter(({ session }) => session === pid) : sessionWithPs(pid);
}

/**
 * Empty when it has ended.
 * @param {number} pid
 */
export function commandLineOf(pid) {
	if (!hasProc()) return psOutput(['-ww', '-o', 'args=', '-p', String(pid)]);
	return (readUnlessGone(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ');
}

/**
 * For systems without /proc.
 * @param {number} pid
 * @returns {RunningProcess | undefined}
 */
export function lookUpWithPs(pid) {
	return ps(['-p', String(pid)])[0];
}

/**
 * Not every `ps` prints sessions (macOS), but all print which process began one: the session is every process below that
 * did not.
 * @param {number} pid
 * @returns {RunningProcess[]}
 */
export function sessionWithPs(pid) {
	const all = new Map(ps(['-A']).map((found) => [found.pid, found]));
	/** @type {(candidate: number) => boolean} */
	const belongs = (candidate) => {
		if (candidate === pid) return true;
		const found = all.get(candidate);
		return found !== undefined && !found.beganSession && found.parent !== candidate && belongs(found.parent);
	};
	return [...all.values()].filter((found) => belongs(found.pid));
}

function hasProc() {
	return existsSync('/proc/self/stat');
}

/**
 * @param {number} pid
 * @returns {RunningProcess & { session: number } | undefined}
 */
function lookUpInProc(pid) {
	// The command's name is in parentheses and may hold spaces: count fields after the last one.
	const fields = readUnlessGone(`/proc/${pid}/stat`)
		?.replace(/^.*\) /s, '')
		.split(' ');
	if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined;
	const [parent = 0, group = 0, session = 0, , terminalGroup = 0] = fields.slice(1).map(Number);
	return { pid, parent, group, session, terminalGroup, startedAt: `${fields[19]} ticks after boot ${bootId()}` };
}

function allInProc() {
	const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
	return pids.flatMap((pid) => {
		try {
			return lookUpInProc(Number(pid)) ?? [];
		} catch (error) {
			if (isRefusal(error)) return []; // another user's, on a system that keeps its users apart
			throw error;
		}
	});
}

/** @type {string | undefined} */
let knownBootId;

/** The ticks count from the start of the machine, and every start gives the same low pids again. */
function bootId() {
	try {
		knownBootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
	} catch (error) {
		if (codeOf(error) !== 'ENOENT' && !isRefusal(error)) throw error;
		knownBootId = 'unknown'; // hidden in some sandboxes
	}
	return knownBootId;
}

/** @param {unknown} error */
function isRefusal(error) {
	return ['EACCES', 'EPERM'].includes(codeOf(error) ?? '');
}

/**
 * @param {string} path
 * @returns {string | undefined}
 */
function readUnlessGone(path) {
	try {
		return readFileSync(path, 'utf8');
	} catch (error) {
		const code = codeOf(error);
		if (code === 'ENOENT' || code === 'ESRCH') return undefined;
		throw error;
	}
}

/**
 * @param {string[]} selection
 * @returns {(RunningProcess & { beganSession: boolean })[]}
 */
function ps(selection) {
	return psOutput([...PS_COLUMNS, ...selection])
		.split('\n')
		.flatMap((line) => {
			const [pid, parent, group, terminalGroup, state, ...startedAt] = line.trim().split(/\s+/);
			if (state === undefined || state.startsWith('Z')) return [];
			return {
				pid: Number(pid),
				parent: Number(parent),
				group: Number(group),
				terminalGroup: Number(terminalGroup),
				startedAt: startedAt.join(' '),
				beganSession: state.includes('s'),
			};
		});
}

/**
 * The words of `ps` depend on language and time zone, which differ between callers.
 * @param {string[]} args
 */
function psOutput(args) {
	const { status, error, stdout, stderr } = spawnSync('/bin/ps', args, {
		encoding: 'utf8',
		env: { LC_ALL: 'C', TZ: 'UTC' },
		maxBuffer: 64 * 1024 * 1024,
	});
	if (error) throw error;
	// It answers 1 without output when no process is left.
	if (status !== 0 && (status !== 1 || stderr)) throw new Error(`ps ${args.join(' ')} failed (${status}): ${stderr}`);
	return stdout;
}
