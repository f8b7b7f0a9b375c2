import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KubeApi } from './kube-api.ts';

let server: Server;
let api: KubeApi;
let statuses: number[] = [];
beforeAll(async () => {
	server = createServer((_, response) => {
		response.writeHead(statuses.shift() ?? 200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ reason: 'TooManyRequests', message: 'storage is (re)initializing' }));
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
	const config = new KubeConfig();
	config.loadFromClusterAndUser(
		{ name: 'played', server: `http://127.0.0.1:${address.port}`, skipTLSVerify: true },
		{ name: 'played' },
	);
	api = new KubeApi(config);
});
afterAll(async () => {
	await api.close();
	server.close();
});

it('a call waits while the API server throttles it', async () => {
	statuses = [429, 429];
	await expect(api.call('GET', '/x')).resolves.toBeDefined();
	expect(statuses).toEqual([]);
});

it('a call that is rejected fails at once, with the reason', async () => {
	statuses = [403, 200];
	await expect(api.call('GET', '/x')).rejects.toMatchObject({ status: 403, reason: 'TooManyRequests' });
	expect(statuses).toEqual([200]);
});

it('what was asked for as it is, is given as it is', async () => {
	statuses = [429];
	expect((await api.send('GET', '/x')).status).toBe(429);
});
