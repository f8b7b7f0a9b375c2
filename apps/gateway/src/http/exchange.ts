// One HTTP exchange: when it began, by when it is answered, and whether the client still waits for the answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { setPatientTimer } from '../process/patient-timer.ts';
import type { HttpObserver, HttpRoute } from './http-observer.ts';
import { HTTP_ROUTES } from './http-observer.ts';
import { PROBLEM_MEDIA_TYPE, type ProblemCode, problemOf } from './problem.ts';

export type Exchange = {
	/** Monotonic. The answer is made by then, and sent. */
	readonly deadlineAt: number;
	/** Aborts with DeadlinePassed, or with ClientGone: the client left, or has its answer. */
	readonly abort: AbortSignal;
	/** When the exchange is over; `answered`: the client has its answer, as far as can be known. */
	onEnd(listener: (answered: boolean) => void): void;
};

export class ClientGone extends Error {
	constructor() {
		super('the client is gone');
		this.name = 'ClientGone';
	}
}

export class DeadlinePassed extends Error {
	constructor() {
		super('the request deadline passed');
		this.name = 'DeadlinePassed';
	}
}

// One for all: the stack of an end that every exchange has says nothing, and costs more than the rest of it.
const GONE = new ClientGone();
const PASSED = new DeadlinePassed();

/** Every answer that asks to send again says when. */
const DEFAULT_RETRY_AFTER_MS = 1000;
/** A part of the deadline is for making and sending the answer. */
const SHARE_OF_WORK = 0.95;

const problems = new WeakMap<FastifyReply['raw'], ProblemCode>();

/** Reports every exchange to the observer exactly once, however it ends. */
export function followExchange(
	request: FastifyRequest,
	reply: FastifyReply,
	observer: HttpObserver,
	deadlineMs: number,
): Exchange {
	const startedAt = performance.now();
	const deadlineAt = startedAt + deadlineMs * SHARE_OF_WORK;
	const over = new AbortController();
	const listeners: ((answered: boolean) => void)[] = [];
	const { raw } = reply;
	const cancelTimer = setPatientTimer(() => over.abort(PASSED), deadlineMs * SHARE_OF_WORK);
	// Of the answer, not of the request: the latter closes as soon as the body is read.
	raw.once('close', () => {
		cancelTimer();
		const problem = problems.get(raw);
		observer.answered({
			requestId: request.id,
			method: request.method,
			route: routeOf(request),
			status: raw.writableFinished ? raw.statusCode : 'gone',
			seconds: (performance.now() - startedAt) / 1000,
			...(problem === undefined ? {} : { problem }),
		});
		for (const listener of listeners) listener(raw.writableFinished);
		over.abort(GONE);
	});
	return { deadlineAt, abort: over.signal, onEnd: (listener) => void listeners.push(listener) };
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
