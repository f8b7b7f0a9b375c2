import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Relay, startRelay } from './switchable-relay.ts';

let echo: Server;
let relay: Relay;
const clients: Socket[] = [];
beforeEach(async () => {
	echo = createServer((socket) => void socket.on('error', () => {}).pipe(socket));
	await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
	const { port } = echo.address() as { port: number };
	relay = await startRelay(new URL(`https://127.0.0.1:${port}`));
});
afterEach(async () => {
	for (const client of clients.splice(0)) client.destroy();
	await relay.close();
	echo.close();
});

async function connect(): Promise<Socket> {
	const client = createConnection(relay.port, '127.0.0.1').on('error', () => {}); // a cut is what we look for
	clients.push(client);
	await once(client, 'connect');
	return client;
}

async function say(client: Socket, text: string): Promise<string> {
	client.write(text);
	const [answer] = (await once(client, 'data')) as [Buffer];
	return answer.toString();
}

it('passes on what is said, in both directions', async () => {
	expect(await say(await connect(), 'hello')).toBe('hello');
});

it('cuts the connections that are open when it is switched off', async () => {
	const client = await connect();
	await say(client, 'hello');
	relay.off();
	await once(client, 'close');
	expect(client.destroyed).toBe(true);
});

it('rejects connections while it is off, and passes them again when it is on', async () => {
	relay.off();
	const rejected = await connect();
	await once(rejected, 'close');
	relay.on();
	expect(await say(await connect(), 'again')).toBe('again');
});

it('does not answer for a server that is gone', async () => {
	const client = await connect();
	await say(client, 'hello');
	echo.close();
	relay.off();
	relay.on();
	const late = await connect();
	await once(late, 'close');
	expect(late.bytesRead).toBe(0);
});
