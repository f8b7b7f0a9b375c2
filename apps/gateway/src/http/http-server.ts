// The HTTP server of the API: limits on what comes in, a problem+json answer for every error, and a close that loses
// nothing: while draining, kept connections are closed with their next answer.
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { answerClientError } from './client-error.ts';
import { docsPage } from './docs-page.ts';
import { ClientGone, DeadlinePassed, type Exchange, followExchange, sendProblem } from './exchange.ts';
import { EXPLAIN_PATH } from './explain/explain-route.ts';
import type { HttpObserver } from './http-observer.ts';
import { type DescribedRoute, describeApi } from './openapi.ts';
import { HttpProblem, type ProblemCode } from './problem.ts';
import { type SignalRoutesOptions, signalRoutes } from './signal-routes.ts';

export type HttpServerOptions = Omit<SignalRoutesOptions, 'exchangeOf'> & {
	readonly observer: HttpObserver;
	/** From the arrival of a request to its answer. */
	readonly deadlineMs: number;
	/** For headers and body to arrive. */
	readonly receiveTimeoutMs: number;
	readonly isDraining: () => boolean;
};

type FollowedRequest = FastifyRequest & { exchange?: Exchange };

const MAX_HEADER_BYTES = 16 * 1024;
const KEEP_ALIVE_MS = 65_000;
const REQUEST_ID = /^[\w.:-]{1,64}$/;

export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
	const { observer } = options;
	const routes: DescribedRoute[] = [];
	// Connections whose sender was answered before its whole body had arrived.
	const answeredEarly = new WeakSet<Socket>();
	const server = fastify({
		logger: false,
		requestTimeout: options.receiveTimeoutMs,
		keepAliveTimeout: KEEP_ALIVE_MS,
		http: {
			maxHeaderSize: MAX_HEADER_BYTES,
			headersTimeout: options.receiveTimeoutMs,
			connectionsCheckingInterval: Math.min(1000, Math.ceil(options.receiveTimeoutMs / 4)),
			requireHostHeader: false, // checked below, with a problem as the answer
		},
		// Requests on kept connections are still served while closing: a 503 would lose nothing, but cost a retry.
		return503OnClosing: false,
		forceCloseConnections: 'idle',
		requestIdHeader: false,
		genReqId: ({ headers: { 'x-request-id': id } }) =>
			typeof id === 'string' && REQUEST_ID.test(id) ? id : randomUUID(),
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: false } },
		clientErrorHandler: (error, socket) =>
			answeredEarly.has(socket) ? socket.destroy() : answerClientError(error, socket, observer),
		frameworkErrors(_error, request, reply) {
			followExchange(request, reply, observer, options.deadlineMs);
			void sendProblem(reply, 'REQUEST_INVALID', 'the address is not valid');
		},
	});
	// Node would answer an unknown expectation with a bare 417; to ignore it is allowed as well.
	server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));

	// The schemas of answers describe; that the answers keep to them is tested, not enforced by leaving fields out.
	server.setSerializerCompiler(() => JSON.stringify);
	server.removeAllContentTypeParsers();
	server.decorateRequest('exchange'); // a WeakMap of requests would cost more than the rest of following them
	server.addHook('onRoute', ({ method, url, schema, config }) => {
		const { body } = (config ?? {}) as { body?: unknown };
		for (const one of [method].flat()) routes.push({ method: one, path: url, schema: { ...schema, body } });
	});
	server.addHook('onRequest', async (request, reply) => {
		answeredEarly.delete(request.raw.socket);
		(request as FollowedRequest).exchange = followExchange(request, reply, observer, options.deadlineMs);
		reply
			.header('x-request-id', request.id)
			.header('cache-control', 'no-store')
			.header('x-content-type-options', 'nosniff');
		if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
			throw HttpProblem.because('REQUEST_INVALID', 'the header Host is missing');
		// At once: the sender is not authenticated yet, so no body is read.
		return request.is404 ? answerNotFound(request, reply, routes) : undefined;
	});
	server.addHook('onSend', async (request, reply) => {
		if (!request.raw.complete) answeredEarly.add(request.raw.socket);
		if (options.isDraining() || reply.statusCode === 413) reply.header('connection', 'close');
		// Fastify closes after a body that was not read to its end: a sender that still writes would lose this answer. Node
		// drops the rest of the body, until the time limit for receiving it.
		else if (reply.hasHeader('connection')) reply.removeHeader('connection');
	});
	server.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, observer));

	const exchangeOf = (request: FastifyRequest): Exchange => {
		const { exchange } = request as FollowedRequest;
		if (exchange === undefined) throw new Error('an exchange is followed from its start');
		return exchange;
	};
	await server.register(signalRoutes, { ...options, exchangeOf });
	const description = describeApi(routes.filter(({ path }) => path.startsWith('/api/') || path === EXPLAIN_PATH));
	server.get('/openapi.json', () => description);
	server.get('/docs', (_request, reply) =>
		reply
			.type('text/html; charset=utf-8')
			.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
			.send(docsPage(description)),
	);
	return server;
}

function answerNotFound(request: FastifyRequest, reply: FastifyReply, routes: readonly DescribedRoute[]): FastifyReply {
	const path = request.url.split('?', 1)[0];
	const allowed = routes.filter((route) => route.path === path).map(({ method }) => method);
	if (allowed.length === 0) return sendProblem(reply, 'REQUEST_NOT_FOUND', 'see /docs for the addresses');
	reply.header('allow', allowed.join(', '));
	return sendProblem(reply, 'REQUEST_METHOD', `use ${allowed.join(' or ')}`);
}

function answerError(
	error: FastifyError,
	request: FastifyRequest,
	reply: FastifyReply,
	observer: HttpObserver,
): FastifyReply {
	if (error instanceof HttpProblem) return sendProblem(reply, error.code, error.message, error.retryAfterMs);
	// Before there was a signal to handle: while the sender was reviewed, or its body read. A connection that is closed while
	// the sender writes may lose the answer: the rest of the body has its own time limit.
	if (error instanceof DeadlinePassed) return sendProblem(reply, 'DEADLINE_EXCEEDED', 'the request deadline passed');
	// The client does not read this answer; it is made because the exchange has to end.
	if (error instanceof ClientGone) return sendProblem(reply, 'REQUEST_INVALID', 'the client is gone');
	const code = codeOfFramework(error);
	if (code === 'INTERNAL_ERROR') observer.failed(request.id, error);
	return sendProblem(reply, code, DETAILS[code] ?? 'the request could not be read');
}

const DETAILS: Partial<Record<ProblemCode, string>> = {
	REQUEST_TOO_LARGE: 'the body is larger than allowed',
	REQUEST_MEDIA_TYPE: 'send application/json',
	INTERNAL_ERROR: "the gateway's log has the error under this requestId",
};

function codeOfFramework({ statusCode }: FastifyError): ProblemCode {
	if (statusCode === 413) return 'REQUEST_TOO_LARGE';
	if (statusCode === 415) return 'REQUEST_MEDIA_TYPE';
	return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? 'REQUEST_INVALID' : 'INTERNAL_ERROR';
}
