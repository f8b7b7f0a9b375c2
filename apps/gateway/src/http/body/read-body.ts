// Reads a body into one buffer, within its own limit and the budget of all. What does not fit is rejected by its length
// before a byte is read; a body in chunks, which has no length, as it grows.
import type { IncomingMessage } from 'node:http';
import type { BodyCharge } from '../../guard/body-budget.ts';
import { ClientGone } from '../exchange.ts';
import { HttpProblem } from '../problem.ts';

export type ReadOptions = {
	readonly maxBytes: number;
	readonly charge: Pick<BodyCharge, 'set'>;
	/** Its reason is the rejection. */
	readonly abort: AbortSignal;
	/** Made when the budget is used up. */
	readonly overloaded: () => Error;
};

/** The bytes, and what holds them while they are put together. */
const WEIGHT_PER_BYTE = 2;
const CHUNKED_STEP_BYTES = 64 * 1024;

export function readBody(stream: IncomingMessage, options: ReadOptions): Promise<Buffer> {
	const { maxBytes, charge, abort, overloaded } = options;
	const announced = Number(stream.headers['content-length'] ?? 0);
	if (announced > maxBytes) return Promise.reject(tooLarge());
	let reserved = announced > 0 ? announced : CHUNKED_STEP_BYTES;
	if (!charge.set(reserved * WEIGHT_PER_BYTE)) return Promise.reject(overloaded());
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let length = 0;
		const done = () => {
			stream.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
			abort.removeEventListener('abort', onAbort);
		};
		const fail = (error: Error) => {
			done();
			chunks.length = 0;
			stream.resume(); // the rest is dropped, so that the answer can be sent
			reject(error);
		};
		const onAbort = () => fail(abort.reason as Error);
		const onGone = () => fail(new ClientGone());
		const onData = (chunk: Buffer) => {
			length += chunk.length;
			if (length > maxBytes) return fail(tooLarge());
			if (length > reserved) {
				reserved = Math.min(maxBytes, Math.max(length, 2 * reserved));
				if (!charge.set(reserved * WEIGHT_PER_BYTE)) return fail(overloaded());
			}
			chunks.push(chunk);
		};
		const onEnd = () => {
			done();
			resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
		};
		if (abort.aborted) return onAbort();
		abort.addEventListener('abort', onAbort, { once: true });
		stream.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
	});
}

function tooLarge(): HttpProblem {
	return HttpProblem.because('REQUEST_TOO_LARGE', 'the body is larger than allowed');
}
