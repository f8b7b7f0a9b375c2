// The connections to the API server: one pool, kept as long as what is shown when they are opened stays the same.
// Certificates may be replaced while we run; tokens are no part of a connection, they go with each call.
import type { RequestOptions } from 'node:https';
import { Agent } from 'undici';

export type KeptConnections = {
	/** For one call with these credentials. */
	with(credentials: RequestOptions): Agent;
	close(): Promise<void>;
};

// Enough for all that a small machine can have under way; more would only shake hands.
const CONNECTIONS = 32;
/** Below the server's own, so that it is us who let go of a connection that nobody uses. */
const KEPT_MS = 60_000;
const SHOWN = ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const;

export function keptConnections(connectTimeoutMs: number): KeptConnections {
	let shown: RequestOptions = {};
	let agent: Agent | undefined;
	return {
		with(credentials) {
			if (agent !== undefined && SHOWN.every((part) => isSame(shown[part], credentials[part]))) return agent;
			void agent?.close(); // what is under way ends first
			shown = credentials;
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
		allowH2: false, // many small calls at once do better on many connections than on one
		connections: CONNECTIONS,
		keepAliveTimeout: KEPT_MS,
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
