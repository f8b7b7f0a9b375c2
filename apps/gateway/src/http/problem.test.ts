import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../errors.ts';
import { HttpProblem, PROBLEMS, type ProblemCode, problemOf, problemType } from './problem.ts';

/** Callers compare these: a change here breaks them. */
const WANT: Record<ProblemCode, [status: number, type: string]> = {
	REQUEST_INVALID: [400, 'https://kubernaut.ai/errors/request-invalid'],
	REQUEST_UNAUTHENTICATED: [401, 'https://kubernaut.ai/errors/request-unauthenticated'],
	REQUEST_FORBIDDEN: [403, 'https://kubernaut.ai/errors/request-forbidden'],
	REQUEST_NOT_FOUND: [404, 'https://kubernaut.ai/errors/request-not-found'],
	REQUEST_METHOD: [405, 'https://kubernaut.ai/errors/request-method'],
	REQUEST_TOO_SLOW: [408, 'https://kubernaut.ai/errors/request-too-slow'],
	REQUEST_TOO_LARGE: [413, 'https://kubernaut.ai/errors/request-too-large'],
	REQUEST_MEDIA_TYPE: [415, 'https://kubernaut.ai/errors/request-media-type'],
	REQUEST_HEADERS_TOO_LARGE: [431, 'https://kubernaut.ai/errors/request-headers-too-large'],
	INTERNAL_ERROR: [500, 'https://kubernaut.ai/errors/internal-error'],
	OVERLOADED: [503, 'https://kubernaut.ai/errors/overloaded'],
	API_UNAVAILABLE: [503, 'https://kubernaut.ai/errors/api-unavailable'],
	SIGNALS_DEFERRED: [503, 'https://kubernaut.ai/errors/signals-deferred'],
	DEADLINE_EXCEEDED: [504, 'https://kubernaut.ai/errors/deadline-exceeded'],
};
const CODES = Object.keys(PROBLEMS) as ProblemCode[];

describe('problems', () => {
	it('problems keep their status and type', () => {
		expect(Object.fromEntries(CODES.map((code) => [code, [PROBLEMS[code].status, problemType(code)]]))).toEqual(WANT);
	});

	it('the documentation of a problem begins with its status', () => {
		for (const code of CODES) expect(ERROR_CODES[code]).toMatch(new RegExp(`^${PROBLEMS[code].status}\\. `));
	});

	it('a problem has all members of RFC 9457 and its requestId', () => {
		expect(problemOf('REQUEST_METHOD', 'use POST', 'id-1')).toEqual({
			type: problemType('REQUEST_METHOD'),
			title: 'This address does not support the method',
			status: 405,
			detail: 'use POST',
			code: 'REQUEST_METHOD',
			requestId: 'id-1',
		});
		expect(problemOf('REQUEST_METHOD', 'use POST')).not.toHaveProperty('requestId');
	});

	it('a problem can be thrown', () => {
		const thrown = HttpProblem.because('REQUEST_INVALID', 'why');
		expect(thrown).toMatchObject({ code: 'REQUEST_INVALID', message: 'why', name: 'HttpProblem' });
	});
});
