// What every replica serves about itself: is it alive, is it ready and if not why, what are its numbers.
import { type FastifyInstance, fastify } from 'fastify';
import type { Check } from './api-readiness.ts';

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

export function createMetricsServer(source: MetricsSource): FastifyInstance {
	const server = fastify(OPTIONS);
	server.get('/metrics', async (_request, reply) => reply.type(source.contentType).send(await source.metrics()));
	return server;
}
