// Apps as processes: they run with what the test gave them, and none outlives it.
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { isAlive, startTimeOf } from '@kubernaut/workspace/process-identity';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { adminApi, appKubeconfig, createNamespace, startApp } from '../src/testkit.ts';

const APP_PROCESS = new URL('../src/app-process.ts', import.meta.url).href;

const api = adminApi();
let options: { kubeconfig: string; namespace: string; podName: string };
beforeAll(async () => {
	const namespace = await createNamespace(api, 'apps');
	const kubeconfig = await appKubeconfig(api, 'notification', namespace, inject('controlPlane').kubeconfigPath);
	options = { kubeconfig, namespace, podName: 'notification-0' };
});

describe('an app', () => {
	it('that is stopped ends with 0, and several run side by side', async () => {
		const apps = await Promise.all([startApp('notification', options), startApp('notification', options)]);
		await Promise.all(apps.map((app) => app.waitUntilReady()));
		expect(new Set(apps.map(({ healthUrl }) => healthUrl)).size).toBe(2);
		expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0]);
		for (const { pid } of apps) expect(startTimeOf(pid)).toBeUndefined();
	});

	it('that is killed says by what', async () => {
		const app = await startApp('notification', options);
		app.signal('SIGKILL');
		expect(await app.exited).toBe('SIGKILL');
	});

	it('that ends instead of becoming ready is no riddle: its last words are in the error', async () => {
		const app = await startApp('notification', { ...options, env: { HEALTH_PORT: 'none' } });
		await expect(app.waitUntilReady()).rejects.toThrow(/notification ended with 2:[^]*HEALTH_PORT: "none" is not/);
	});

	it('ends with the test process, also when that is killed', async () => {
		const code = `
			import { startApp } from ${JSON.stringify(APP_PROCESS)};
			const app = await startApp('notification', ${JSON.stringify(options)});
			await app.waitUntilReady();
			console.log(app.pid);
			setInterval(() => {}, 1000);`;
		const test = spawn(process.execPath, ['--input-type=module', '--eval', code], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		onTestFinished(() => void test.kill('SIGKILL')); // also when the test fails before it gets there
		const pid = await new Promise<number>((resolve) =>
			createInterface({ input: test.stdout }).once('line', (line) => resolve(Number(line))),
		);
		const app = { pid, startedAt: startTimeOf(pid) ?? '' };
		const bundle = commandOf(pid).split(' ').at(-1) ?? ''; // behind Node and its flags
		expect(bundle).toMatch(/notification\.mjs$/);
		test.kill('SIGKILL');
		await expect.poll(() => isAlive(app)).toBe(false);
		await expect.poll(() => spawnSync('ls', [bundle]).status).not.toBe(0); // its directory is gone with it
	});
});

function commandOf(pid: number): string {
	return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();
}
