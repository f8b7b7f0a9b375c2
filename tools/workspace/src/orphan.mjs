// Notices that the process that started us is gone: a killed `npm test` must not go on behind the terminal's back.
// Guarantee: an end after this module was loaded is noticed, however much later a callback is set. Not
// guaranteed: one before that. We belong to init or a subreaper then, and those may as well have started us.
import { identityOf, isGone } from './process-identity.mjs';
import { commandLineOf, lookUp } from './process-table.mjs';

const LOOK_MS = 500;

const parent = process.ppid;
const npm = npmBehindShell();

/**
 * @param {() => void} callback called once
 * @returns {void}
 */
export function whenOrphaned(callback) {
	const timer = setInterval(() => {
		if (!isOrphaned()) return;
		clearInterval(timer);
		callback();
	}, LOOK_MS);
	timer.unref();
}

export function isOrphaned() {
	return process.ppid !== parent || (npm !== undefined && isGone(npm));
}

/**
 * npm starts us through `sh -c`. Some shells become the program that they start, others (dash) stay in between, and
 * outlive npm as long as we run.
 */
function npmBehindShell() {
	if (process.env['npm_lifecycle_event'] === undefined) return undefined;
	if (!/^\S*sh -c /.test(commandLineOf(parent))) return undefined;
	const shell = lookUp(parent);
	return shell && identityOf(shell.parent);
}
