// The parts beside the control plane: each can be had here, starts, answers and stops.
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { obtainPart, type PartName, type RunningPart, type StartPartOptions, startPart } from '../src/index.ts';
import { versionIn } from '../src/parts/version.ts';
import { processesNaming, removeWithProcesses, temporaryDirectory } from './scripts.ts';

const BUILD_LIMIT_MS = 1_800_000;

const cache = temporaryDirectory();
const environment: NodeJS.ProcessEnv = { ...process.env, KUBERNAUT_CACHE_DIR: cache };
afterAll(() => removeWithProcesses(cache));

/** Found or built in the user's cache, run in one of our own. */
async function start(name: PartName, options: StartPartOptions = {}): Promise<RunningPart> {
	return startPart(name, { binary: await obtainPart(name), environment, ...options });
}

async function json(url: string, init?: RequestInit): Promise<Record<string, unknown>> {
	const answer = await fetch(url, init);
	return { status: answer.status, body: await answer.json() };
}

async function expectStopped(part: RunningPart): Promise<void> {
	await part.stop();
	expect(existsSync(part.directory)).toBe(false);
	await expect.poll(() => processesNaming(part.directory)).toEqual([]);
}

describe('toxiproxy', () => {
	let upstream: Server;
	beforeAll(async () => {
		await obtainPart('toxiproxy');
		upstream = createServer((_, response) => response.end('upstream'));
		await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
	});
	afterAll(() => void upstream.close());

	it('passes a connection on until it is told to cut it', async () => {
		const toxiproxy = await start('toxiproxy');
		const { port } = upstream.address() as { port: number };
		const proxy = { name: 'test', listen: '127.0.0.1:0', upstream: `127.0.0.1:${port}`, enabled: true };
		const created = await json(`${toxiproxy.url}/proxies`, { method: 'POST', body: JSON.stringify(proxy) });
		const { listen } = created['body'] as { listen: string };
		const headers = { connection: 'close' };
		expect(await (await fetch(`http://${listen}`, { headers })).text()).toBe('upstream');
		await json(`${toxiproxy.url}/proxies/test`, { method: 'POST', body: JSON.stringify({ enabled: false }) });
		await expect(fetch(`http://${listen}`, { headers })).rejects.toThrow();
		await expectStopped(toxiproxy);
	});

	it('that finds its port taken again and again says so', async () => {
		const { port } = upstream.address() as { port: number };
		await expect(start('toxiproxy', { extraArgs: [`-port=${port}`] })).rejects.toThrow(
			/toxiproxy found its port taken\. Its last lines:\n.*address already in use/s,
		);
		await expect.poll(() => processesNaming(cache)).toEqual([]);
	});
});

describe('Alertmanager', () => {
	beforeAll(() => obtainPart('alertmanager'), BUILD_LIMIT_MS);

	it('takes an alert and shows it', async () => {
		const config = 'route: { receiver: nobody }\nreceivers: [{ name: nobody }]\n';
		const alertmanager = await start('alertmanager', { files: { 'alertmanager.yaml': config } });
		const body = JSON.stringify([{ labels: { alertname: 'HighMemory' } }]);
		const headers = { 'content-type': 'application/json' };
		expect((await fetch(`${alertmanager.url}/api/v2/alerts`, { method: 'POST', headers, body })).status).toBe(200);
		expect(await json(`${alertmanager.url}/api/v2/alerts`)).toMatchObject({
			body: [{ labels: { alertname: 'HighMemory' }, status: { state: expect.any(String) } }],
		});
		await expectStopped(alertmanager);
	});

	it('with a configuration that it does not understand fails with its own words', async () => {
		const starting = start('alertmanager', { files: { 'alertmanager.yaml': 'route: { receiver: missing }\n' } });
		await expect(starting).rejects.toThrow(/alertmanager ended with 1.*undefined receiver/s);
	});
});

describe('Prometheus', () => {
	beforeAll(async () => {
		await obtainPart('promtool');
		await obtainPart('prometheus');
	}, BUILD_LIMIT_MS);

	it('answers queries', async () => {
		const config = 'global: { scrape_interval: 1s }\n';
		const prometheus = await start('prometheus', { files: { 'prometheus.yaml': config } });
		expect(await json(`${prometheus.url}/api/v1/query?query=1%2B1`)).toMatchObject({
			status: 200,
			body: { data: { result: [expect.any(Number), '2'] } },
		});
		await expectStopped(prometheus);
	});

	it('has a promtool that tells good rules from bad ones', async () => {
		const promtool = await obtainPart('promtool');
		const check = (expr: string) => {
			const file = join(cache, 'rules.yaml');
			writeFileSync(file, `groups: [{ name: g, rules: [{ alert: A, expr: '${expr}' }] }]\n`);
			return spawnSync(promtool, ['check', 'rules', file], { encoding: 'utf8' });
		};
		expect(check('up == 0')).toMatchObject({ status: 0 });
		expect(check('up ==')).toMatchObject({ status: 1, stderr: expect.stringContaining('parse error') });
	});

	it('has a promtool that is no server', async () => {
		await expect(start('promtool')).rejects.toThrow('promtool is a program that runs once');
		expect(
			versionIn(spawnSync(await obtainPart('promtool'), ['--version'], { encoding: 'utf8' }).stdout),
		).toBeDefined();
	});
});
