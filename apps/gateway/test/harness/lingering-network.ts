// A network that swallows the close of a connection: when the client dies, the API server does not notice, and what was sent
// before still takes effect. So it is when a node loses its power.
import { readFileSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { atTheEnd, scratchDirectory } from '@kubernaut/testkit';

/** Returns a kubeconfig like the one given, whose server is reached through this network. */
export async function lingeringNetwork(kubeconfig: string, server: string): Promise<string> {
	const target = new URL(server);
	const sockets = new Set<Socket>();
	const relay = createServer({ allowHalfOpen: true }, (client) => {
		const upstream = createConnection(Number(target.port), target.hostname);
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on('error', () => {}); // the end of one is not passed on to the other: that is the point
		}
		client.pipe(upstream, { end: false });
		upstream.on('data', (chunk) => client.writable && client.write(chunk));
		upstream.on('close', () => client.destroy());
	});
	await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
	atTheEnd(() => {
		for (const socket of sockets) socket.destroy();
		relay.close();
	});
	const address = relay.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
	const path = join(await scratchDirectory(), 'kubeconfig');
	writeFileSync(path, readFileSync(kubeconfig, 'utf8').replace(target.host, `127.0.0.1:${address.port}`));
	return path;
}
