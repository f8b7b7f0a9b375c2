// Errors as callers see them: RFC 9457, with a type that never changes its meaning. They show no internals: no stack, no
// address, no message of a library.
import * as Type from 'typebox';
import type { ErrorCode } from '../errors.ts';
import { AppError } from '../process/app-error.ts';

export const PROBLEMS = {
	REQUEST_INVALID: { status: 400, title: 'The request is not valid' },
	REQUEST_UNAUTHENTICATED: { status: 401, title: 'A valid bearer token is needed' },
	REQUEST_FORBIDDEN: { status: 403, title: 'The token does not allow this' },
	REQUEST_NOT_FOUND: { status: 404, title: 'Unknown address' },
	REQUEST_METHOD: { status: 405, title: 'This address does not support the method' },
	REQUEST_TOO_SLOW: { status: 408, title: 'The request did not arrive in time' },
	REQUEST_TOO_LARGE: { status: 413, title: 'The body is too large' },
	REQUEST_MEDIA_TYPE: { status: 415, title: 'The body must be JSON in UTF-8' },
	REQUEST_HEADERS_TOO_LARGE: { status: 431, title: 'The header fields are too large' },
	INTERNAL_ERROR: { status: 500, title: 'The gateway failed' },
	OVERLOADED: { status: 503, title: 'The gateway is overloaded' },
	API_UNAVAILABLE: { status: 503, title: 'The Kubernetes API is not available' },
	SIGNALS_DEFERRED: { status: 503, title: 'At least one signal was deferred' },
	DEADLINE_EXCEEDED: { status: 504, title: 'The request deadline passed' },
} as const satisfies Partial<Record<ErrorCode, { status: number; title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export const ProblemSchema = Type.Object(
	{
		type: Type.String({ format: 'uri', description: 'Stable identifier of the kind of problem.' }),
		title: Type.String(),
		status: Type.Integer(),
		detail: Type.String(),
		code: Type.String({ description: 'The same as type, as listed in docs/errors.md.' }),
		requestId: Type.Optional(Type.String({ description: "Identifies the request in the gateway's log." })),
	},
	{ title: 'Problem', description: 'RFC 9457' },
);
type Problem = Type.Static<typeof ProblemSchema>;

/** Thrown where there is no reply to write to; the error handler turns it into the answer. */
export class HttpProblem extends AppError<ProblemCode> {
	retryAfterMs: number | undefined;

	/** The caller reads `detail`. */
	static because(code: ProblemCode, detail: string, retryAfterMs?: number): HttpProblem {
		const problem = new HttpProblem(code, detail);
		problem.retryAfterMs = retryAfterMs;
		return problem;
	}
}

export function problemOf(code: ProblemCode, detail: string, requestId?: string): Problem {
	const { status, title } = PROBLEMS[code];
	return {
		type: problemType(code),
		title,
		status,
		detail,
		code,
		...(requestId === undefined ? {} : { requestId }),
	};
}

export function problemType(code: ProblemCode): string {
	return `https://kubernaut.ai/errors/${code.toLowerCase().replaceAll('_', '-')}`;
}
