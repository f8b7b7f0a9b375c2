// Answers to errors that Node finds before there is a request, or while it arrives: headers too large, too slow, not
// HTTP at all. Written to the bare connection, which then ends.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpObserver } from './http-observer.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode, problemOf } from './problem.ts';

const CODES = {
	ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TOO_SLOW',
	HPE_HEADER_OVERFLOW: 'REQUEST_HEADERS_TOO_LARGE',
} as const;

export function answerClientError(
	error: NodeJS.ErrnoException,
	socket: Socket,
	observer: Pick<HttpObserver, 'clientError'>,
): void {
	if (error.code === 'ECONNRESET' || socket.destroyed) return;
	const code = CODES[error.code as keyof typeof CODES] ?? 'REQUEST_INVALID';
	observer.clientError(PROBLEMS[code].status);
	if (socket.writable) socket.end(rawAnswer(code));
	else socket.destroy();
	// A client that neither reads nor closes must not keep the connection.
	setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const LINGER_MS = 1000;

function rawAnswer(code: ProblemCode): string {
	const { status, title } = PROBLEMS[code];
	const body = JSON.stringify(problemOf(code, title));
	return [
		`HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
		`Content-Type: ${PROBLEM_MEDIA_TYPE}`,
		`Content-Length: ${Buffer.byteLength(body)}`,
		'Connection: close',
		'',
		body,
	].join('\r\n');
}
