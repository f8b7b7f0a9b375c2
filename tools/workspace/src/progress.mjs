// Words for a wait: silent for the first two seconds, then a line that says what and for how long, and an end.
// Of a wait inside a wait only the inner one speaks: they would overwrite each other's line.

const QUIET_MS = 2000;
const TERMINAL_MS = 1000;
const LOG_MS = 15_000; // a log is read later: a line now and then

/** @type {Progress[]} */
const waits = [];

/**
 * @typedef {{ update: (detail: string) => void, stop: (result: string) => void }} Progress
 * @param {string} what
 * @param {{ write: (text: string) => unknown, isTTY?: boolean | undefined, columns?: number | undefined }} [stream]
 * @returns {Progress}
 */
export function startProgress(what, stream = process.stderr) {
	const startedAt = performance.now();
	let detail = '';
	let shown = false;
	const seconds = () => Math.round((performance.now() - startedAt) / 1000);
	const show = () => {
		if (waits.at(-1) !== progress) return;
		const line = `${what}${detail ? `: ${detail}` : ''} (${seconds()} s)`;
		// A line that wraps could not be rewritten.
		stream.write(stream.isTTY ? `\r\x1b[K${line.slice(0, (stream.columns ?? 80) - 1)}` : `${line}\n`);
		shown = true;
	};
	/** @type {NodeJS.Timeout} */
	let timer = setTimeout(() => {
		show();
		timer = setInterval(show, stream.isTTY ? TERMINAL_MS : LOG_MS).unref();
	}, QUIET_MS).unref();
	/** @type {Progress} */
	const progress = {
		update(text) {
			detail = text;
		},
		stop(result) {
			clearTimeout(timer);
			if (waits.includes(progress)) waits.splice(waits.indexOf(progress), 1);
			if (shown) stream.write(`${stream.isTTY ? '\r\x1b[K' : ''}${what}: ${result} (${seconds()} s)\n`);
			shown = false; // the first end counts
		},
	};
	waits.push(progress);
	return progress;
}
