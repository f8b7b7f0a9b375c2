// A sender that sends exactly what a test gives it, valid or not.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { KubeApi } from '@kubernaut/control-plane';
import { type AppProcess, atTheEnd, serviceAccountToken } from '@kubernaut/testkit';
import { Agent, request } from 'undici';
import { PROMETHEUS } from './routes.ts';

export type HttpAnswer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	readonly text: string;
	/** The body as JSON. */
	readonly json: Record<string, unknown>;
};
export type HttpRequest = {
	readonly path?: string;
	readonly method?: string;
	/** undefined leaves out a header of the defaults. */
	readonly headers?: Readonly<Record<string, string | undefined>>;
	readonly body?: string | Uint8Array | Readable;
};

/** The token of a sender that startGateways gave the right to send. */
export function senderToken(api: KubeApi, namespace: string): Promise<string> {
	return serviceAccountToken(api, namespace, 'sender');
}

export function httpClient(token: string | undefined, connections = 64) {
	const dispatcher = new Agent({ connections, pipelining: 1 });
	atTheEnd(() => dispatcher.destroy());
	return async (to: Pick<AppProcess, 'apiUrl'>, options: HttpRequest = {}): Promise<HttpAnswer> => {
		const authorization = token === undefined ? undefined : `Bearer ${token}`;
		const headers = { 'content-type': 'application/json', authorization, ...options.headers };
		const {
			statusCode,
			headers: answered,
			body,
		} = await request(to.apiUrl + (options.path ?? PROMETHEUS), {
			method: (options.method ?? 'POST') as 'POST',
			dispatcher,
			headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
			body: options.body ?? null,
			headersTimeout: 60_000,
		});
		const text = await body.text();
		return {
			status: statusCode,
			headers: answered,
			text,
			get json() {
				return JSON.parse(text) as Record<string, unknown>;
			},
		};
	};
}

export type RawConnection = {
	readonly socket: Socket;
	/** Everything that was received, once the other side has closed. */
	readonly ended: Promise<string>;
};

/** A bare connection on which these bytes are sent, and nothing more. */
export async function rawConnection({ apiUrl }: Pick<AppProcess, 'apiUrl'>, bytes = ''): Promise<RawConnection> {
	const { hostname, port } = new URL(apiUrl);
	const socket = connect(Number(port), hostname);
	await once(socket, 'connect');
	let received = '';
	socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
	socket.on('error', () => undefined); // a connection that is cut says so
	const ended = once(socket, 'close').then(() => received);
	if (bytes !== '') socket.write(bytes, 'latin1');
	return { socket, ended };
}
