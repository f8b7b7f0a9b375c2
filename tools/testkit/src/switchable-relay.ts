// A TCP relay in front of the API server that a test can switch off and on: a network that fails, no fake server.
import { createConnection, createServer, type Socket } from 'node:net';

export type Relay = { readonly port: number; off(): void; on(): void; close(): Promise<void> };

export async function startRelay(target: URL): Promise<Relay> {
	const sockets = new Set<Socket>();
	let passing = true;
	const server = createServer((client) => {
		if (!passing) {
			client.destroy();
			return;
		}
		const upstream = createConnection(Number(target.port), target.hostname);
		for (const [from, to] of [
			[client, upstream],
			[upstream, client],
		] as const) {
			sockets.add(from);
			from.on('close', () => {
				sockets.delete(from);
				to.destroy();
			});
			from.on('error', () => to.destroy());
			from.pipe(to);
		}
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('a TCP server has a port');
	const cut = () => {
		for (const socket of sockets) socket.destroy();
	};
	return {
		port: address.port,
		off() {
			passing = false;
			cut();
		},
		on() {
			passing = true;
		},
		close() {
			cut();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}
