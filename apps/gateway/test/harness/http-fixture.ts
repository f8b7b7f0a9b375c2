// The HTTP server without the parts behind it: the test gives their answers.
import type { InjectOptions } from 'fastify';
import { afterAll } from 'vitest';
import type { Admission } from '../../src/guard/admission.ts';
import type { AuthDecision } from '../../src/guard/auth.ts';
import type { AnswerEvent, HttpObserver } from '../../src/http/http-observer.ts';
import { createHttpServer, type HttpServerOptions } from '../../src/http/http-server.ts';
import type { IngestResult, ResolveResult } from '../../src/signal/signal.ts';
import { PROMETHEUS } from './routes.ts';

const CREATED = { name: 'rr-0123456789ab-0123456789abcdef', namespace: 'ns' };

export const GOOD_ALERTS = JSON.stringify({ alerts: [{ status: 'firing', labels: { alertname: 'A' } }] });

/** Answers of the parts behind the server; at first all succeed. */
export type Behind = {
	ingest: () => Promise<IngestResult>;
	resolve: () => Promise<ResolveResult>;
	unavailable: { retryAfterMs: number } | undefined;
	admission: Admission;
	decision: AuthDecision;
	draining: boolean;
};

export async function startHttpFixture(options: Partial<HttpServerOptions> = {}) {
	const reported = { answered: [] as AnswerEvent[], failed: [] as unknown[], leftOut: 0, released: 0 };
	const behind: Behind = {
		ingest: async () => ({ outcome: 'created', request: CREATED, occurrenceCount: 1 }),
		resolve: async () => ({ outcome: 'resolved', request: CREATED }),
		unavailable: undefined,
		admission: { admit: async () => ({ admitted: true, release: () => void reported.released++ }) },
		decision: { outcome: 'allowed' },
		draining: false,
	};
	const nothing = () => undefined;
	const observer: HttpObserver = {
		answered: (event) => void reported.answered.push(event),
		failed: (_id, error) => void reported.failed.push(error),
		signal: nothing,
		deferred: nothing,
		rejected: nothing,
		leftOut: (_id, alerts) => void (reported.leftOut += alerts),
		clientError: nothing,
		reviewFailed: nothing,
		breakerChanged: nothing,
		decided: nothing,
		overloaded: nothing,
		load: nothing,
	};
	const server = await createHttpServer({
		ingest: { ingest: () => behind.ingest(), resolve: () => behind.resolve() },
		breaker: { rejection: () => behind.unavailable },
		admission: { admit: (abort) => behind.admission.admit(abort) },
		authenticator: { check: async () => behind.decision },
		observer,
		resolvedAlerts: 'mark',
		deadlineMs: 10_000,
		maxBodyBytes: 4096,
		receiveTimeoutMs: 15_000,
		isDraining: () => behind.draining,
		...options,
	});
	afterAll(() => server.close());
	const send = (request: InjectOptions = {}) =>
		server.inject({
			method: 'POST',
			url: PROMETHEUS,
			headers: { 'content-type': 'application/json' },
			payload: GOOD_ALERTS,
			...request,
		});
	return { server, send, behind, reported };
}
