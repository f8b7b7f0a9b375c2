// What every app must do, whatever else it does: one suite that each app passes with its own process and rights.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { KubeApi } from '@kubernaut/control-plane';
import { afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type AppName, type AppOptions, type AppProcess, appBundle, startApp } from '../app-process.ts';
import { scratchDirectory } from '../scratch.ts';
import { appKubeconfig } from '../service-account.ts';
import { startRelay } from '../switchable-relay.ts';
import { adminApi, createNamespace } from '../test-cluster.ts';

/** `configKeys`: the environment names that --help must list. */
export function describeAppConformance(app: AppName, metricsPrefix: string, configKeys: readonly string[]): void {
	describe(`${app} as a process`, () => {
		const api: KubeApi = adminApi();
		const started: AppProcess[] = [];
		let namespace: string;
		let kubeconfig: string;

		beforeAll(async () => {
			namespace = await createNamespace(api, app);
			kubeconfig = await appKubeconfig(api, app, namespace, inject('controlPlane').kubeconfigPath);
		});
		afterEach(async () => {
			await Promise.all(started.splice(0).map((running) => running.stop()));
		});

		async function start(options: Partial<AppOptions> = {}): Promise<AppProcess> {
			const running = await startApp(app, { kubeconfig, namespace, podName: `${app}-0`, ...options });
			started.push(running);
			return running;
		}

		it('becomes ready with its own rights, and serves health and metrics', async () => {
			const running = await start();
			await running.waitUntilReady();
			expect((await fetch(`${running.healthUrl}/healthz`)).status).toBe(200);
			const ready = await (await fetch(`${running.healthUrl}/readyz`)).json();
			expect(ready).toMatchObject({
				status: 'ready',
				checks: expect.arrayContaining([expect.objectContaining({ name: 'kubernetes-api', ok: true })]),
			});
			const metrics = await (await fetch(running.metricsUrl)).text();
			expect(metrics).toContain(`${metricsPrefix}ready 1`);
			expect(metrics).toMatch(/api_requests_total\{verb="get",resource="discovery",code="2xx"\} [1-9]/);
			expect(metrics).toContain('code="5xx"} 0');
			expect(metrics).toContain('process_resident_memory_bytes');
			expect(metrics).toContain('nodejs_eventloop_lag_seconds');
		});

		it('reports readiness in the metrics although /readyz is not asked', async () => {
			const running = await start();
			const ready = async () => (await fetch(running.metricsUrl).catch(() => undefined))?.text();
			await expect.poll(ready).toContain(`${metricsPrefix}ready 1`);
		});

		it('is not ready but alive while it drains after SIGTERM', async () => {
			const running = await start({ env: { SHUTDOWN_DRAIN: '40s' } });
			await running.waitUntilReady();
			running.signal('SIGTERM');
			await expect.poll(async () => (await fetch(`${running.healthUrl}/readyz`)).status).toBe(503);
			expect((await fetch(`${running.healthUrl}/healthz`)).status).toBe(200);
			expect(await (await fetch(running.metricsUrl)).text()).toContain(`${metricsPrefix}ready 0`);
			running.signal('SIGKILL');
		});

		it('ends in order after SIGTERM, with code 0', async () => {
			const running = await start();
			await running.waitUntilReady();
			expect(await running.stop()).toBe(0);
			const messages = running.output().map((line) => (JSON.parse(line) as { msg: string }).msg);
			expect(messages).toEqual(expect.arrayContaining(['started', 'ready', 'draining', 'stopped']));
		});

		it('keeps working when the reader of its log is gone, and ends in order', async () => {
			const running = await start({ env: { LOG_LEVEL: 'debug' } });
			await running.waitUntilReady();
			running.closeOutput();
			running.signal('SIGTERM');
			expect(await running.exited).toBe(0);
		});

		it('ends at once on a second signal', async () => {
			const running = await start({ env: { SHUTDOWN_DRAIN: '40s' } });
			await running.waitUntilReady();
			running.signal('SIGTERM');
			await expect.poll(() => running.output().join()).toContain('draining');
			running.signal('SIGTERM');
			expect(await running.exited).toBe(1);
		});

		it('is alive but not ready while the API server is away, and recovers without a restart', async () => {
			const relay = await startRelay(new URL(api.server));
			onTestFinished(() => relay.close());
			const relayed = join(await scratchDirectory(), 'kubeconfig');
			writeFileSync(relayed, readFileSync(kubeconfig, 'utf8').replace(new URL(api.server).port, String(relay.port)));
			relay.off();
			const running = await start({ kubeconfig: relayed });
			const readiness = async () => {
				const answer = await fetch(`${running.healthUrl}/readyz`);
				return { status: answer.status, text: await answer.text() };
			};
			await expect.poll(async () => (await readiness().catch(() => undefined))?.text).toContain('get discovery');
			expect((await readiness()).status).toBe(503);
			expect((await fetch(`${running.healthUrl}/healthz`)).status).toBe(200);
			relay.on();
			await running.waitUntilReady();
			relay.off();
			await expect.poll(async () => (await readiness()).status).toBe(503);
			relay.on();
			await running.waitUntilReady();
		});

		it('keeps its token out of the log', async () => {
			const running = await start({ env: { LOG_LEVEL: 'debug' } });
			await running.waitUntilReady();
			await running.stop();
			const token = /token: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1];
			expect(token).toBeDefined();
			expect(running.output().join('\n')).not.toContain(token);
		});

		it('prints every configuration key with --help, and leaves', async () => {
			const { status, stdout } = await run(app, ['--help']);
			expect(status).toBe(0);
			for (const key of configKeys) expect(stdout).toContain(key);
			expect(stdout).toContain('Exit codes');
		});

		it.each([
			{ wrong: 'an unknown flag', args: ['--verbose'], env: {}, want: '--verbose' },
			{
				wrong: 'a port out of range',
				args: [],
				env: { HEALTH_PORT: '70000' },
				want: 'HEALTH_PORT: "70000" is not a port',
			},
			{ wrong: 'two equal ports', args: [], env: { HEALTH_PORT: '9000', METRICS_PORT: '9000' }, want: 'must differ' },
			{ wrong: 'a drain longer than the grace', args: [], env: { SHUTDOWN_DRAIN: '1m' }, want: 'must be shorter' },
			{ wrong: 'an unknown key in the file', args: ['--config', 'WRONG'], env: {}, want: 'server.health_prot (in ' },
			{ wrong: 'a wrong value in the file', args: ['--config', 'WRONG'], env: {}, want: 'is not one of debug, info' },
			{ wrong: 'a file that is not there', args: ['--config', '/nowhere.yaml'], env: {}, want: '/nowhere.yaml' },
			{
				wrong: 'a cluster without POD_NAME',
				args: [],
				env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', POD_NAMESPACE: 'x' },
				want: 'POD_NAME must be set in a cluster',
			},
			{ wrong: 'neither a kubeconfig nor a cluster', args: [], env: {}, want: 'KUBECONFIG is not set' },
			{
				wrong: 'a kubeconfig that is not there',
				args: [],
				env: { KUBECONFIG: '/nowhere/kubeconfig' },
				want: 'KUBECONFIG: /nowhere/kubeconfig cannot be read: ENOENT',
			},
			{
				wrong: 'a kubeconfig that names no cluster',
				args: [],
				env: { KUBECONFIG: '/dev/null' },
				want: 'KUBECONFIG: /dev/null',
			},
			{
				wrong: 'a time limit that no call could keep',
				args: [],
				env: { KUBERNETES_REQUEST_TIMEOUT: '0s' },
				want: 'KUBERNETES_REQUEST_TIMEOUT: "0s" is not',
			},
			{
				wrong: 'a time that no timer can wait',
				args: [],
				env: { SHUTDOWN_GRACE: '1000h' },
				want: 'SHUTDOWN_GRACE: "1000h" is not',
			},
		])('refuses to start with $wrong, and says so', async ({ args, env, want }) => {
			const wrongFile = join(await scratchDirectory(), 'config.yaml');
			writeFileSync(wrongFile, 'server:\n  health_prot: 1\nlog:\n  level: loud\n');
			const { status, stderr } = await run(
				app,
				args.map((arg) => (arg === 'WRONG' ? wrongFile : arg)),
				env,
			);
			expect(stderr).toContain(want);
			expect(status).toBe(2);
		});

		it('says which key to change when its port is taken', async () => {
			const taken = createServer();
			await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
			onTestFinished(() => void taken.close());
			const { port } = taken.address() as AddressInfo;
			const running = await start({ env: { METRICS_PORT: String(port) } });
			expect(await running.exited).toBe(2);
			expect(running.output().join('\n')).toContain(`METRICS_PORT: 127.0.0.1:${port}`);
		});
	});
}

async function run(app: AppName, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
	return spawnSync(process.execPath, [await appBundle(app), ...args], { encoding: 'utf8', env, timeout: 50_000 });
}
