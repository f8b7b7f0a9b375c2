// One POST over a connection of its own. Guarantee: it is written once at most; the result says whether it may have been
// written. No redirect is followed, and an answer is read up to MAX_ANSWER_BYTES. A kept connection is not used: one that the
// receiver closes at the same moment leaves open whether the message arrived.
import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { ConnectError, codeOf, connectTarget, secure, type TargetOptions } from './connect-target.ts';

export const MAX_ANSWER_BYTES = 65_536;
const TOO_LATE = 'the time for the send was over before it began';

export type HttpAnswer = {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[] | undefined>>;
	/** As far as it was read. */
	readonly body: string;
};
export type PostResult =
	| { readonly result: 'answered'; readonly answer: HttpAnswer }
	| { readonly result: 'not-sent'; readonly error: ConnectError }
	| { readonly result: 'no-answer'; readonly detail: string; readonly aborted: boolean };

export type Post = { readonly url: URL; readonly headers: Readonly<Record<string, string>>; readonly body: string };

export async function post(
	{ url, headers, body }: Post,
	options: TargetOptions,
	abort: AbortSignal,
): Promise<PostResult> {
	const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || 443) };
	let socket: Socket | undefined;
	try {
		socket = await secure(await connectTarget(target, options, abort), target, options, abort);
	} catch (error) {
		if (error instanceof ConnectError) return { result: 'not-sent', error };
		throw error;
	}
	const client = new Client(url.origin, {
		pipelining: 0, // no keep-alive
		allowH2: false,
		headersTimeout: 0, // the abort ends every wait
		bodyTimeout: 0,
		connect(_options, callback) {
			const connected = socket;
			socket = undefined;
			// Not at once: the client is not ready for an answer before this function returns.
			setImmediate(() =>
				connected === undefined
					? callback(new ConnectError('Unreachable', `${target.host} closed the connection`), null)
					: callback(null, connected),
			);
		},
	});
	try {
		return await dispatched(client, { path: `${url.pathname}${url.search}`, method: 'POST', headers, body }, abort);
	} finally {
		void client.destroy().catch(() => {}); // everything is known by now
	}
}

function dispatched(client: Client, request: Dispatcher.DispatchOptions, abort: AbortSignal): Promise<PostResult> {
	return new Promise((resolve) => {
		let written = false;
		let head: Omit<HttpAnswer, 'body'> | undefined;
		const chunks: Buffer[] = [];
		let bytes = 0;
		const end = (result: PostResult) => {
			abort.removeEventListener('abort', onAbort);
			resolve(result);
		};
		const answered = (status: Omit<HttpAnswer, 'body'>) =>
			end({
				result: 'answered',
				answer: { ...status, body: Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString('utf8') },
			});
		/** The status is an answer, also when the rest of it does not come. */
		const failed = (error: unknown, aborted: boolean) => {
			if (head !== undefined) answered(head);
			else if (written)
				end({
					result: 'no-answer',
					aborted,
					detail: aborted ? 'no answer in time' : `no valid answer: ${codeOf(error)}`,
				});
			else if (aborted) end({ result: 'not-sent', error: new ConnectError('Aborted', TOO_LATE) });
			else if (error instanceof ConnectError) end({ result: 'not-sent', error });
			else end({ result: 'not-sent', error: new ConnectError('Unreachable', `connection lost: ${codeOf(error)}`) });
		};
		const onAbort = () => failed(undefined, true);
		if (abort.aborted) return end({ result: 'not-sent', error: new ConnectError('Aborted', TOO_LATE) });
		abort.addEventListener('abort', onAbort, { once: true });
		client.dispatch(request, {
			onRequestStart: () => void (written = true),
			onResponseStart(_controller, status, headers) {
				head = { status, headers };
			},
			onResponseData(_controller, chunk) {
				chunks.push(chunk);
				bytes += chunk.length;
				if (bytes >= MAX_ANSWER_BYTES && head !== undefined) answered(head);
			},
			onResponseEnd: () => head !== undefined && answered(head),
			onResponseError: (_controller, error) => failed(error, false),
		});
	});
}
