// A real HTTPS server on loopback that records every request, with the time of its own monotonic clock, and answers as it is
// asked to.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { ReceiverCertificates } from './certificates.ts';

export type ReceivedHttp = {
	/** When the whole request was there, in ms of this process. */
	readonly at: number;
	/** When it was answered; absent while it is not. */
	answeredAt?: number;
	readonly method: string;
	readonly path: string;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly body: string;
};
export type HttpBehaviour =
	| {
			readonly status: number;
			readonly body?: string;
			readonly headers?: Readonly<Record<string, string>>;
			readonly afterMs?: number;
			/** It is answered when this settles. */
			readonly after?: Promise<unknown>;
	  }
	/** No answer; the connection stays. */
	| 'hang'
	/** The connection ends without an answer. */
	| 'close'
	/** Bytes that are not HTTP. */
	| 'garbage'
	/** A status, and a body without an end. */
	| 'endless'
	/** A status and half a body, then nothing. */
	| 'half';

export type HttpsReceiver = {
	readonly port: number;
	/** Of this server, without a path. */
	readonly origin: string;
	/** In the order of arrival. */
	readonly received: readonly ReceivedHttp[];
	/** Connections that were opened, TLS or not. */
	connections(): number;
	/** From now on; or for each request by its number, from 0. */
	behave(behaviour: HttpBehaviour | ((request: ReceivedHttp, index: number) => HttpBehaviour)): void;
	close(): Promise<void>;
};

export async function startHttpsReceiver(
	{ certificate, key }: ReceiverCertificates,
	first: HttpBehaviour = { status: 200, body: 'ok' },
	{ address = '127.0.0.1', port: wanted = 0 }: { address?: string; port?: number } = {},
): Promise<HttpsReceiver> {
	const received: ReceivedHttp[] = [];
	let behaviour: HttpBehaviour | ((request: ReceivedHttp, index: number) => HttpBehaviour) = first;
	let connections = 0;
	const server = createServer({ cert: certificate, key }, (request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { method = '', url = '', headers } = request;
			const one: ReceivedHttp = {
				at: performance.now(),
				method,
				path: url,
				headers,
				body: Buffer.concat(chunks).toString(),
			};
			received.push(one);
			const chosen = typeof behaviour === 'function' ? behaviour(one, received.length - 1) : behaviour;
			act(chosen, request, response, () => (one.answeredAt = performance.now()));
		});
		request.on('error', () => {}); // the sender went away
		response.on('error', () => {});
	});
	server.on('connection', () => connections++);
	server.on('tlsClientError', () => {}); // the sender does not trust us: that is a test
	await new Promise<void>((resolve) => server.listen(wanted, address, resolve));
	const { port } = server.address() as AddressInfo;
	return {
		port,
		origin: `https://127.0.0.1:${port}`,
		received,
		connections: () => connections,
		behave: (next) => void (behaviour = next),
		close() {
			server.closeAllConnections();
			return new Promise((resolve) => server.close(() => resolve()));
		},
	};
}

function act(behaviour: HttpBehaviour, request: IncomingMessage, response: ServerResponse, answered: () => void): void {
	if (typeof behaviour === 'object') {
		const { status, body = '', headers = {}, afterMs = 0, after } = behaviour;
		const answer = () => {
			answered();
			response.writeHead(status, headers).end(body);
		};
		if (after === undefined) setTimeout(answer, afterMs);
		else void after.then(answer);
		return;
	}
	switch (behaviour) {
		case 'hang':
			return;
		case 'close':
			request.socket.destroy();
			return;
		case 'garbage':
			request.socket.end('\u0000\u0001 not HTTP at all \r\n\r\n');
			return;
		case 'half':
			response.writeHead(200, { 'content-length': '1000' }).write('o');
			return;
		case 'endless': {
			response.writeHead(200);
			const chunk = 'x'.repeat(16_384);
			const more = () => {
				while (!response.destroyed && response.write(chunk));
				if (!response.destroyed) response.once('drain', more);
			};
			more();
		}
	}
}
