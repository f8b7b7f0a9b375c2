// A pid alone names no process: after a crash or a restart of the machine it is given to another. Pid and start
// time together do, and only where that pid is seen: on its own host, in its own pid namespace. Of a process elsewhere
// (a cache directory may be shared) we know nothing: not alive, so never signalled, and not gone, so never cleared.
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { lookUp } from './process-table.mjs';

/** @typedef {{ pid: number, startedAt: string, place?: string }} ProcessIdentity without a place: of here */

const HERE = `${hostname()} ${pidNamespace()}`; // once: a host that gets another name stays the same for us

/**
 * When the process started, in the system's own words; undefined when it does not run (a zombie does not).
 * @param {number} pid
 * @returns {string | undefined}
 */
export function startTimeOf(pid) {
	return lookUp(pid)?.startedAt;
}

/** @returns {ProcessIdentity} */
export function ownIdentity() {
	const own = identityOf(process.pid);
	// Without it, other processes would take us for dead, our locks for free and our processes for abandoned.
	if (own === undefined) throw new Error('the system does not say when this process started (/proc or ps)');
	return own;
}

/**
 * Undefined when it does not run.
 * @param {number} pid
 * @returns {ProcessIdentity | undefined}
 */
export function identityOf(pid) {
	const startedAt = startTimeOf(pid);
	return startedAt === undefined ? undefined : { pid, startedAt, place: HERE };
}

/**
 * Surely: this very process runs here.
 * @param {ProcessIdentity} identity
 */
export function isAlive(identity) {
	return isOfHere(identity) && startTimeOf(identity.pid) === identity.startedAt;
}

/**
 * Surely: it ran here and has ended. Not the opposite of isAlive.
 * @param {ProcessIdentity} identity
 */
export function isGone(identity) {
	try {
		return isOfHere(identity) && !isAlive(identity);
	} catch {
		return false; // we cannot look
	}
}

/** @param {ProcessIdentity} identity */
export function isOfHere({ place }) {
	return place === undefined || place === HERE;
}

function pidNamespace() {
	try {
		return readlinkSync('/proc/self/ns/pid');
	} catch {
		return 'without pid namespaces'; // no Linux, or a sandbox that hides them
	}
}
