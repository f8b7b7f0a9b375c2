// What happens to a control plane when the process that started it is gone.
import { existsSync, globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubeApi } from '../src/index.ts';
import { sweep } from '../src/running/owned-directory.ts';
import { sendSignal } from '../src/running/send-signal.ts';
import {
	environmentWithBinaries,
	processesNaming,
	removeWithProcesses,
	type Script,
	startScript,
	temporaryDirectory,
} from './scripts.ts';

const START_AND_STAY = `
	const started = await controlPlane.startControlPlane();
	console.log(JSON.stringify({ directory: started.directory, kubeconfigPath: started.kubeconfigPath }));
	setInterval(() => {}, 1000);`;

const cache = temporaryDirectory();
const running = join(cache, 'running');
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
	environment = await environmentWithBinaries(cache);
});
afterAll(() => removeWithProcesses(cache));

/** Only for what hangs. */
const START = { timeout: 240_000 };

type Started = { directory: string; kubeconfigPath: string };

async function whenStarted(script: Script): Promise<Started> {
	await expect.poll(() => script.output() + script.errors(), START).toMatch(/\}\n/);
	return JSON.parse(script.output()) as Started;
}

/** Processes and directories of control planes. */
async function left(): Promise<string[]> {
	const directories = existsSync(running) ? readdirSync(running) : [];
	return [...directories, ...processesNaming(running).map(({ command }) => command)];
}

const isWatchdog = ({ command }: { command: string }) => command.includes('watchdog');
const isRecorded = (name: string) => globSync(join(running, '*', 'processes', `*-${name}.json`)).length > 0;

describe('its owner', () => {
	it.each(['SIGKILL', 'SIGINT'] as const)('is ended by %s: no process and no directory is left', async (signal) => {
		const owner = startScript(START_AND_STAY, environment);
		await whenStarted(owner);
		owner.child.kill(signal);
		expect(await owner.exited).toBe(signal);
		await expect.poll(left).toEqual([]);
	});

	it('ends by an uncaught error: the same', async () => {
		const owner = startScript(`await controlPlane.startControlPlane(); throw new Error('crash');`, environment);
		expect(await owner.exited).toBe(1);
		await expect.poll(left).toEqual([]);
	});

	// The test waits for the record, not for the process: between the two nothing is guaranteed.
	it.each([
		{ moment: 'the watchdog runs', isThere: () => processesNaming(running).some(isWatchdog) },
		{ moment: 'etcd is recorded', isThere: () => isRecorded('etcd') },
		{ moment: 'the API server is recorded', isThere: () => isRecorded('kube-apiserver') },
	])('is killed in the middle of the start, when $moment: the same', async ({ isThere }) => {
		const owner = startScript(START_AND_STAY, environment);
		await expect.poll(isThere, { ...START, interval: 5 }).toBe(true);
		owner.child.kill('SIGKILL');
		await owner.exited;
		await expect.poll(left).toEqual([]);
	});

	it('is killed together with the watchdog: the next start clears what was left', async () => {
		const owner = startScript(START_AND_STAY, environment);
		const { directory } = await whenStarted(owner);
		const watchdog = processesNaming(directory).find(isWatchdog)!;
		sendSignal(watchdog.pid, 'SIGKILL');
		owner.child.kill('SIGKILL');
		await owner.exited;
		await expect.poll(() => processesNaming(directory)).toHaveLength(2); // etcd and API server, with no owner to end them
		await sweep(environment);
		await expect.poll(left).toEqual([]);
	});
});

describe('two runs at once', () => {
	it('do not disturb each other, not even when one is killed', async () => {
		const scripts = [startScript(START_AND_STAY, environment), startScript(START_AND_STAY, environment)];
		const [first, second] = (await Promise.all(scripts.map(whenStarted))) as [Started, Started];
		const apis = [first, second].map(({ kubeconfigPath }) => KubeApi.fromFile(kubeconfigPath));
		for (const [i, api] of apis.entries()) {
			const metadata = { name: 'shared-name', annotations: { run: String(i) } };
			await api.call('POST', '/api/v1/namespaces', { body: { metadata } });
		}
		scripts[0]!.child.kill('SIGKILL');
		await expect.poll(() => existsSync(first.directory)).toBe(false);
		const { metadata } = await apis[1]!.call('GET', '/api/v1/namespaces/shared-name');
		expect(metadata.annotations).toEqual({ run: '1' });
		await Promise.all(apis.map((api) => api.close()));
		scripts[1]!.child.kill('SIGKILL');
		await expect.poll(left).toEqual([]);
	});
});
