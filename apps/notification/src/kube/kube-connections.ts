// Connections to the API server: a pool for each lane, kept as long as the TLS credentials stay the same. What must not
// wait behind a storm of work, or must not make work wait, has a lane of its own.
// Certificates may be replaced at run time; tokens are sent with each call, not with the connection.
import type { RequestOptions } from 'node:https';
import { Agent } from 'undici';

export type KeptConnections = {
	/** The pool for a call with these credentials. */
	with(credentials: RequestOptions, lane: KubeLane): Agent;
	close(): Promise<void>;
};

/** The most connections of each lane. */
const LANES = {
	// Enough for all calls that a small machine can have in flight; more would only cost handshakes.
	work: 32,
	/** A lock that is held stays held. */
	renewals: 4,
	/** Tokens of senders. Few: strangers must not keep the API server busy. */
	reviews: 4,
	/** Whether the API server answers is asked of it, not of our own pool. */
	readiness: 1,
	/** Each takes a connection for as long as it lasts. */
	watches: Number.POSITIVE_INFINITY,
} as const;
export type KubeLane = keyof typeof LANES;

/** Below the server's own limit, so that our side closes an idle connection. */
const KEEP_ALIVE_MS = 60_000;
const TLS_CREDENTIALS = ['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const;

export function keptConnections(connectTimeoutMs: number): KeptConnections {
	let current: RequestOptions = {};
	const agents = new Map<KubeLane, Agent>();
	return {
		with(credentials, lane) {
			if (!TLS_CREDENTIALS.every((part) => isSame(current[part], credentials[part]))) {
				for (const agent of agents.values()) void agent.close(); // after the calls in flight
				agents.clear();
				current = credentials;
			}
			const known = agents.get(lane);
			if (known !== undefined) return known;
			const agent = createAgent(credentials, connectTimeoutMs, LANES[lane]);
			agents.set(lane, agent);
			return agent;
		},
		async close() {
			await Promise.all([...agents.values()].map((agent) => agent.destroy()));
		},
	};
}

function isSame(one: unknown, other: unknown): boolean {
	return Buffer.isBuffer(one) && Buffer.isBuffer(other) ? one.equals(other) : one === other;
}

function createAgent(credentials: RequestOptions, connectTimeoutMs: number, connections: number): Agent {
	return new Agent({
		allowH2: false, // many small calls at once are faster on many connections than on one
		...(Number.isFinite(connections) ? { connections } : {}),
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
