// In a process of its own: its exit code and its last lines are the facts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';

const SHUTDOWN = new URL('shutdown.ts', import.meta.url).href;

/** `steps`: as code. The timer that keeps the process alive ends with the drain, as servers do. */
async function endOf(steps: string, graceMs = 60_000): Promise<{ code: number | null; events: string[] }> {
	const code = `
		import { shutDownOnSignals } from ${JSON.stringify(SHUTDOWN)};
		const work = setInterval(() => {}, 1000);
		shutDownOnSignals({
			drainMs: 1,
			graceMs: ${graceMs},
			startDraining: () => clearInterval(work),
			steps: ${steps},
			observer: {
				draining: (detail) => console.log('draining: ' + detail),
				stopped: (detail) => console.log('stopped: ' + detail),
				forced: (detail) => console.log('forced: ' + detail),
			},
		});
		console.log('ready');`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	const events: string[] = [];
	createInterface({ input: child.stdout }).on('line', (line) => {
		if (line === 'ready') child.kill('SIGTERM');
		else events.push(line);
	});
	const [exitCode] = (await once(child, 'close')) as [number | null];
	return { code: exitCode, events };
}

const DONE = `{ name: 'done', run: async () => console.log('done') }`;

it('the exit code is 0 when every step is done', async () => {
	expect(await endOf(`[${DONE}]`)).toEqual({ code: 0, events: ['draining: SIGTERM', 'done', 'stopped: SIGTERM'] });
});

it('a step that fails does not keep the others from running, and the exit code is 1', async () => {
	const failing = `{ name: 'failing', run: () => Promise.reject(new Error('broken')) }`;
	expect(await endOf(`[${failing}, ${DONE}]`)).toEqual({
		code: 1,
		events: ['draining: SIGTERM', 'forced: failing: broken', 'done', 'stopped: SIGTERM'],
	});
});

it('a step that hangs, even on a promise that never settles, is ended after the grace period with exit code 1', async () => {
	expect(await endOf(`[{ name: 'hanging', run: () => new Promise(() => {}) }]`, 200)).toEqual({
		code: 1,
		events: ['draining: SIGTERM', 'forced: hanging was not done within 200 ms'],
	});
});
