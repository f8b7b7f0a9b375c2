// What every replica serves about itself: is it alive, is it ready and if not why, what are its numbers.
import { type FastifyInstance, fastify } from 'fastify';

/** One thing that readiness depends on. */
export type Check = { readonly name: string; readonly ok: boolean; readonly message: string };
export type HealthSource = { checks(): readonly Check[] };
export type MetricsSource = { contentType: string; metrics(): Promise<string> };

// Nothing is lost with a connection, and one that was opened and never used would hold the shutdown up.
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

/** `beforeScrape`: for what is asked for, not told: whether we are ready. */
export function createMetricsServer(source: MetricsSource, beforeScrape: () => void): FastifyInstance {
	const server = fastify(OPTIONS);
	server.get('/metrics', async (_request, reply) => {
		beforeScrape();
		return reply.type(source.contentType).send(await source.metrics());
	});
	return server;
}

export type Listener = {
	readonly key: string;
	readonly port: number;
	listen(host: string, port: number): Promise<unknown>;
};

/** The problem in words, with the key that would mend it; undefined when all of them listen. */
export async function tryListen(host: string, listeners: readonly Listener[]): Promise<string | undefined> {
	for (const { key, port, listen } of listeners)
		try {
			await listen(host, port);
		} catch (error) {
			const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
			return `${key}: ${host}:${port} (LISTEN_ADDRESS and port) cannot be listened on: ${reason}`;
		}
	return undefined;
}
