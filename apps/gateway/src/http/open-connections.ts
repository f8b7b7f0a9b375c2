// The connections of a server, so that closing it comes to an end. Node waits for each connection that has not finished
// a request, and has stopped looking at its own time limits by then: one that was opened and never used, or a body that
// never ends, would hold the shutdown up until it is forced.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type OpenConnections = {
	/** Cuts those on which no request is being handled. */
	cutIdle(): void;
	/** Cuts all. */
	cutAll(): void;
};

export function followConnections(server: Server): OpenConnections {
	const open = new Map<Socket, { running: number }>();
	server.on('connection', (socket: Socket) => {
		open.set(socket, { running: 0 });
		socket.once('close', () => open.delete(socket));
	});
	server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
		const connection = open.get(socket);
		if (connection === undefined) return;
		connection.running++;
		response.once('close', () => connection.running--);
	});
	return {
		cutIdle() {
			for (const [socket, { running }] of open) if (running === 0) socket.destroy();
		},
		cutAll() {
			for (const socket of open.keys()) socket.destroy();
		},
	};
}
