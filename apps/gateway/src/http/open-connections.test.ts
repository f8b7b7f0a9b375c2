import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followConnections, type OpenConnections } from './open-connections.ts';

let server: ReturnType<typeof createServer>;
let connections: OpenConnections;
let running: ServerResponse[];

beforeEach(async () => {
	running = [];
	server = createServer((_, response) => running.push(response));
	connections = followConnections(server);
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
});
afterEach(() => server.closeAllConnections());

async function open(text: string): Promise<{ socket: Socket; closed: Promise<unknown> }> {
	const accepted = once(server, 'connection');
	const { port } = server.address() as { port: number };
	const socket = connect(port, '127.0.0.1').on('error', () => undefined);
	socket.resume();
	await accepted;
	if (text !== '') socket.write(text);
	return { socket, closed: once(socket, 'close') };
}

describe('cutIdle', () => {
	it.each([
		{ what: 'nothing', text: '' },
		{ what: 'half of a head', text: 'GET / HTTP/1.1\r\nHost:' },
	])('cutIdle ends a connection that sent $what, so that the server can close', async ({ text }) => {
		const { closed } = await open(text);
		const done = once(server, 'close');
		server.close();
		connections.cutIdle();
		expect(await Promise.all([closed, done])).toHaveLength(2);
	});

	it('cutIdle leaves a running request alone, and cuts its connection once it is answered', async () => {
		const { socket, closed } = await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
		await expect.poll(() => running, { interval: 1, timeout: 10_000 }).toHaveLength(1);
		connections.cutIdle();
		const answered = Promise.all([once(socket, 'data'), once(running[0]!, 'close')]);
		running[0]!.end('answer');
		expect(String((await answered)[0])).toContain('200 OK');
		connections.cutIdle();
		expect(await closed).toBeDefined();
	});
});

describe('cutAll', () => {
	it('cutAll ends a running request too', async () => {
		const { closed } = await open('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{');
		await expect.poll(() => running, { interval: 1, timeout: 10_000 }).toHaveLength(1);
		connections.cutAll();
		expect(await closed).toBeDefined();
	});
});
