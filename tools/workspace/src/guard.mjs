// `guard.mjs <program> [arguments]` runs a program that ends with the process that started the guard, however that ends: the
// guard reads from a pipe that closes then. For set-up, which may have no Node yet that could run owned-processes.ts.
import { spawn } from 'node:child_process';

const KILL_AFTER_MS = 2000;

const [program = '', ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
child.on('error', (error) => {
	console.error(`${program}: ${error.message}`);
	process.exit(1);
});
child.on('exit', (code) => process.exit(code ?? 1));

// A signal to the whole process group is our starter's business: its end is what counts.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {});
process.stdin.resume();
process.stdin.on('error', () => {});
process.stdin.on('close', () => {
	signalGroup('SIGTERM');
	setTimeout(() => signalGroup('SIGKILL'), KILL_AFTER_MS);
});

/** @param {NodeJS.Signals} name */
function signalGroup(name) {
	try {
		if (child.pid !== undefined) process.kill(-child.pid, name);
	} catch {
		// It ended between the look and the signal.
	}
}
