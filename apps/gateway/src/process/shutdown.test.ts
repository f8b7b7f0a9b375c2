// As a process: how it ends is what counts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';

const SHUTDOWN = new URL('shutdown.ts', import.meta.url).href;

/** `steps` and `graceMs` as code; what keeps it alive goes when it is told to stop, as servers do. */
async function endOf(steps: string, graceMs = 60_000): Promise<{ code: number | null; told: string[] }> {
	const code = `
		import { shutDownOnSignals } from ${JSON.stringify(SHUTDOWN)};
		const work = setInterval(() => {}, 1000);
		shutDownOnSignals({
			drainMs: 1,
			graceMs: ${graceMs},
			startDraining: () => clearInterval(work),
			steps: ${steps},
			tell: (event, detail) => console.log(event + ': ' + detail),
		});
		console.log('ready');`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
		stdio: ['ignore', 'pipe', 'ignore'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	const told: string[] = [];
	createInterface({ input: child.stdout }).on('line', (line) => {
		if (line === 'ready') child.kill('SIGTERM');
		else told.push(line);
	});
	const [exitCode] = (await once(child, 'close')) as [number | null];
	return { code: exitCode, told };
}

const DONE = `{ name: 'done', run: async () => console.log('done') }`;

it('ends with 0 when every step is done', async () => {
	expect(await endOf(`[${DONE}]`)).toEqual({ code: 0, told: ['draining: SIGTERM', 'done', 'stopped: SIGTERM'] });
});

it('a step that fails keeps no other from being done, and is no success', async () => {
	const failing = `{ name: 'failing', run: () => Promise.reject(new Error('broken')) }`;
	expect(await endOf(`[${failing}, ${DONE}]`)).toEqual({
		code: 1,
		told: ['draining: SIGTERM', 'forced: failing: broken', 'done', 'stopped: SIGTERM'],
	});
});

it('a step that hangs, also one that waits for nothing real, is ended with the grace and is no success', async () => {
	expect(await endOf(`[{ name: 'hanging', run: () => new Promise(() => {}) }]`, 200)).toEqual({
		code: 1,
		told: ['draining: SIGTERM', 'forced: hanging was not done within 200 ms'],
	});
});
