// Health, readiness (with the checks that fail) and metrics of this replica, over HTTP.
import { type FastifyInstance, fastify } from 'fastify';

/** One condition of readiness. */
export type Check = { readonly name: string; readonly ok: boolean; readonly message: string };
export type HealthSource = { checks(): readonly Check[] };
export type MetricsSource = { contentType: string; metrics(): Promise<string> };

// An idle connection would hold up the shutdown; closing one loses nothing.
const OPTIONS = { logger: false, forceCloseConnections: true } as const;

export function createHealthServer(source: HealthSource): FastifyInstance {
	const server = fastify(OPTIONS);
	server.get('/healthz', async () => ({ status: 'ok' }));
	server.get('/readyz', async (_request, reply) => {
		const checks = source.checks();
		const ready = checks.every((check) => check.ok);
		return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', checks });
	});
	return server;
}

/** `beforeScrape`: sets the metrics that are computed at a scrape, such as readiness. */
export function createMetricsServer(source: MetricsSource, beforeScrape: () => void): FastifyInstance {
	const server = fastify(OPTIONS);
	server.get('/metrics', async (_request, reply) => {
		beforeScrape();
		return reply.type(source.contentType).send(await source.metrics());
	});
	return server;
}

export type Listener = {
	/** The configuration key of the port. */
	readonly key: string;
	readonly port: number;
	/** Instead of the address of all. */
	readonly host?: string | undefined;
	listen(host: string, port: number): Promise<unknown>;
};

/** A sentence with the key to change; undefined when all of them listen. */
export async function tryListen(host: string, listeners: readonly Listener[]): Promise<string | undefined> {
	for (const { key, port, host: own = host, listen } of listeners)
		try {
			await listen(own, port);
		} catch (error) {
			const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
			return `${key}: ${own}:${port} (LISTEN_ADDRESS and port) cannot be listened on: ${reason}`;
		}
	return undefined;
}
