// Errors as callers see them: RFC 9457, with a type that never changes its meaning. Nothing of our insides is in them:
// no stack, no address, no words of a library.
import * as Type from 'typebox';
import type { ErrorCode } from '../errors.ts';
import { AppError } from '../process/app-error.ts';

export const PROBLEMS = {
	REQUEST_INVALID: { status: 400, title: 'The request is not valid' },
	REQUEST_UNAUTHENTICATED: { status: 401, title: 'A valid bearer token is needed' },
	REQUEST_FORBIDDEN: { status: 403, title: 'The token does not allow this' },
	REQUEST_NOT_FOUND: { status: 404, title: 'There is nothing at this address' },
	REQUEST_METHOD: { status: 405, title: 'The address does not take this method' },
	REQUEST_TOO_SLOW: { status: 408, title: 'The request did not arrive in time' },
	REQUEST_TOO_LARGE: { status: 413, title: 'The body is too large' },
	REQUEST_MEDIA_TYPE: { status: 415, title: 'The body must be JSON in UTF-8' },
	REQUEST_HEADERS_TOO_LARGE: { status: 431, title: 'The header fields are too large' },
	INTERNAL_ERROR: { status: 500, title: 'The gateway failed' },
	OVERLOADED: { status: 503, title: 'The gateway has too much to do' },
	API_UNAVAILABLE: { status: 503, title: 'The Kubernetes API is not available' },
	SIGNALS_DEFERRED: { status: 503, title: 'Not every signal could be taken now' },
	DEADLINE_EXCEEDED: { status: 504, title: 'It took too long' },
} as const satisfies Partial<Record<ErrorCode, { status: number; title: string }>>;

export type ProblemCode = keyof typeof PROBLEMS;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

export const ProblemSchema = Type.Object(
	{
		type: Type.String({ format: 'uri', description: 'Stable: what kind of problem it is.' }),
		title: Type.String(),
		status: Type.Integer(),
		detail: Type.String(),
		code: Type.String({ description: 'The same as type, as docs/errors.md lists it.' }),
		requestId: Type.Optional(Type.String({ description: 'Names the request in our log.' })),
	},
	{ title: 'Problem', description: 'RFC 9457' },
);
export type Problem = Type.Static<typeof ProblemSchema>;

/** Thrown where there is no reply to write to; the error handler makes the answer of it. */
export class RequestProblem extends AppError<ProblemCode> {
	/** `detail` is what the caller reads. */
	static because(code: ProblemCode, detail: string): RequestProblem {
		return new RequestProblem(code, detail);
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
