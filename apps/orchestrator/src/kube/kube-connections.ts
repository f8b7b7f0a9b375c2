// Connections to the API server: one pool, kept as long as the TLS credentials stay the same.
// Certificates may be replaced at run time; tokens are sent with each call, not with the connection.
import type { RequestOptions } from 'node:https';
import { Agent } from 'undici';

export type KeptConnections = {
	/** The pool for a call with these credentials. */
	with(credentials: RequestOptions): Agent;
	close(): Promise<void>;
};

// Enough for all calls that a small machine can have in flight; more would only cost handshakes.
const MAX_CONNECTIONS = 32;
/** Below the server's own limit, so that our side closes an idle connection. */
const KEEP_ALIVE_MS = 60_000;
const TLS_CREDENTIALS = ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const;

export function keptConnections(connectTimeoutMs: number): KeptConnections {
	let current: RequestOptions = {};
	let agent: Agent | undefined;
	return {
		with(credentials) {
			if (agent !== undefined && TLS_CREDENTIALS.every((part) => isSame(current[part], credentials[part])))
				return agent;
			void agent?.close(); // after the calls in flight
			current = credentials;
			agent = createAgent(credentials, connectTimeoutMs);
			return agent;
		},
		close: async () => agent?.destroy(),
	};
}

function isSame(one: unknown, other: unknown): boolean {
	return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other;
}

function createAgent(credentials: RequestOptions, connectTimeoutMs: number): Agent {
	return new Agent({
		allowH2: false, // many small calls at once are faster on many connections than on one
		connections: MAX_CONNECTIONS,
		keepAliveTimeout: KEEP_ALIVE_MS,
		connect: {
			// A half-open connection would keep close() waiting for the library's own ten seconds.
			timeout: connectTimeoutMs,
			ca: credentials.ca,
			cert: credentials.cert,
			key: credentials.key,
			...('servername' in credentials ? { servername: String(credentials.servername) } : {}),
			...(credentials.rejectUnauthorized === false ? { rejectUnauthorized: false } : {}),
		},
	});
}
