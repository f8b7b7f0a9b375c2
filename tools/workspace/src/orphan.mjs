// Notices that whoever started us is gone: a killed `npm test` must not go on behind the terminal's back.

const LOOK_MS = 500;

/**
 * @param {() => void} callback called once
 * @returns {void}
 */
export function whenOrphaned(callback) {
	const parent = process.ppid;
	const timer = setInterval(() => {
		if (process.ppid === parent) return;
		clearInterval(timer);
		callback();
	}, LOOK_MS);
	timer.unref();
}
