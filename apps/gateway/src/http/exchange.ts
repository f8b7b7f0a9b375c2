// One HTTP exchange: when it began, and whether the client still waits for the answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpObserver, HttpRoute } from './http-observer.ts';
import { HTTP_ROUTES } from './http-observer.ts';
import { PROBLEM_MEDIA_TYPE, type ProblemCode, problemOf } from './problem.ts';

export type Exchange = {
	/** Monotonic. */
	readonly startedAt: number;
	/** Aborts when the exchange is over: answered, or the client left earlier. */
	readonly client: AbortSignal;
};

export class ClientGone extends Error {
	constructor() {
		super('the client is gone');
		this.name = 'ClientGone';
	}
}

// One for all: the stack of an end that every exchange has says nothing, and costs more than the rest of it.
const GONE = new ClientGone();

/** Every answer that asks to send again says when. */
const DEFAULT_RETRY_AFTER_MS = 1000;

const problems = new WeakMap<FastifyReply['raw'], ProblemCode>();

/** Reports every exchange to the observer exactly once, however it ends. */
export function followExchange(request: FastifyRequest, reply: FastifyReply, observer: HttpObserver): Exchange {
	const startedAt = performance.now();
	const over = new AbortController();
	const { raw } = reply;
	// Of the answer, not of the request: the latter closes as soon as the body is read.
	raw.once('close', () => {
		const problem = problems.get(raw);
		observer.answered({
			requestId: request.id,
			method: request.method,
			route: routeOf(request),
			status: raw.writableFinished ? raw.statusCode : 'gone',
			seconds: (performance.now() - startedAt) / 1000,
			...(problem === undefined ? {} : { problem }),
		});
		over.abort(GONE);
	});
	return { startedAt, client: over.signal };
}

function routeOf(request: FastifyRequest): HttpRoute {
	return HTTP_ROUTES.find((route) => route === request.routeOptions.url) ?? 'other';
}

export function sendProblem(
	reply: FastifyReply,
	code: ProblemCode,
	detail: string,
	retryAfterMs?: number,
	extension: object = {},
): FastifyReply {
	problems.set(reply.raw, code);
	const problem = problemOf(code, detail, reply.request.id);
	const waitMs = retryAfterMs ?? (problem.status >= 503 ? DEFAULT_RETRY_AFTER_MS : undefined);
	if (waitMs !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(waitMs / 1000)));
	// Bytes, so that no serializer of the route's answers touches them, and no charset is added, which this type has not.
	return reply
		.code(problem.status)
		.type(PROBLEM_MEDIA_TYPE)
		.send(Buffer.from(JSON.stringify({ ...problem, ...extension })));
}
