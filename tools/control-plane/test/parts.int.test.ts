// The parts beside the control plane that tests of the product use: each can be had here, starts, answers and stops.
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { obtainPart } from '../src/index.ts';
import { BUILD_LIMIT_MS, cache, expectStopped, json, start } from './run-part.ts';
import { processesNaming } from './scripts.ts';

describe('toxiproxy', () => {
	let upstream: Server;
	beforeAll(async () => {
		await obtainPart('toxiproxy');
		upstream = createServer((_, response) => response.end('upstream'));
		await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
	});
	afterAll(() => void upstream.close());

	it('passes a connection on until its API cuts it', async () => {
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
		const config = 'route: { receiver: none }\nreceivers: [{ name: none }]\n';
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
