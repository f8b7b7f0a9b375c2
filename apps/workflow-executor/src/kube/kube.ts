// Calls to the API server: kept-alive connections, a time limit on every call, faults classified once.
// The client library gives the credentials (tokens that rotate, exec plugins, in-cluster files). It does not make the
// calls, because it opens a TLS connection for each.
import type { RequestOptions } from 'node:https';
import { sleep } from '@kubernaut/backoff';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Dispatcher } from 'undici';
import { APP } from '../app.ts';
import { orAborted } from '../process/abort.ts';
import { setPatientTimer } from '../process/patient-timer.ts';
import { linesOf } from './byte-lines.ts';
import { startIdleLimit } from './idle-limit.ts';
import { type KubeLane, keptConnections } from './kube-connections.ts';
import { KubeError, rejected, unanswered, unreadable } from './kube-errors.ts';
import { RefusedRights } from './refused-rights.ts';
import type { ServerClock } from './server-clock.ts';

export type KubeVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
export type KubeCall = {
	readonly verb: KubeVerb;
	readonly path: string;
	/** The plural, for metrics and for error messages. */
	readonly resource: string;
	readonly namespace?: string;
	readonly body?: unknown;
	readonly contentType?: string;
	/** `application/json` when absent: another form of the same object, in JSON. */
	readonly accept?: string;
	readonly signal?: AbortSignal;
	/** Whose connections it uses; `work` when absent. */
	readonly lane?: Exclude<KubeLane, 'watches'>;
};
/** `code` is the HTTP status, or "error" when there was no answer. */
export type KubeObserver = { called(call: KubeCall, code: number | 'error', seconds: number): void };
export type KubeClient = {
	readonly server: string;
	call<T>(call: KubeCall): Promise<T>;
	/**
	 * A watch: an answer without an end, line by line. Silence longer than the idle time, which may grow, is a fault.
	 * `onAccepted`: the API server has accepted it, which it may do long before the first line.
	 */
	lines(
		call: KubeCall,
		signal: AbortSignal,
		idleTimeoutMs: number | (() => number),
		onAccepted?: () => void,
	): AsyncGenerator<string>;
	close(): Promise<void>;
};

export { kubeConfigProblem, loadKubeConfig } from './kube-config.ts';
export { KubeError } from './kube-errors.ts';

const METHODS = {
	get: 'GET',
	list: 'GET',
	watch: 'GET',
	create: 'POST',
	update: 'PUT',
	patch: 'PATCH',
	delete: 'DELETE',
} as const;

// A throttled call is repeated while its time lasts. Without a Retry-After: the time that the API server itself uses.
const MAX_THROTTLED_TRIES = 3;
const THROTTLED_MS = 1000;
const THROTTLED_SPREAD = 0.2;
/** Less than this is not enough for another try. */
const MIN_ANSWER_MS = 250;

/** `now` is monotonic; `clock` hears the Date of every answer. */
export function createKubeClient(
	config: KubeConfig,
	requestTimeoutMs: number,
	observer: KubeObserver,
	now: () => number = () => performance.now(),
	clock: Pick<ServerClock, 'heard'> = { heard() {} },
): KubeClient {
	const server = (config.getCurrentCluster()?.server ?? '').replace(/\/$/, '');
	// A proxy may serve the API below a path of its own.
	const { origin, pathname } = new URL(server);
	const prefix = pathname === '/' ? '' : pathname;
	const connections = keptConnections(requestTimeoutMs);
	const rights = new RefusedRights(now);

	async function send(kubeCall: KubeCall, lane: KubeLane, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
		const credentials: RequestOptions = {};
		// An exec plugin may hang.
		await orAborted(config.applyToHTTPSOptions(credentials), signal);
		// Not the library's request(url): it parses the address anew for each call.
		const answer = await connections.with(credentials, lane).request({
			origin,
			path: `${prefix}${kubeCall.path}`,
			method: METHODS[kubeCall.verb],
			signal,
			// Our own timers end a call: the library's do not wait for answers that are there but not read.
			headersTimeout: 0,
			bodyTimeout: 0,
			// Otherwise undici closes the connection after each delete, because it has a body (the preconditions).
			reset: false,
			headers: {
				...(credentials.headers as Record<string, string> | undefined),
				accept: kubeCall.accept ?? 'application/json',
				'user-agent': `kubernaut-${APP.name}`,
				...(kubeCall.body === undefined ? {} : { 'content-type': kubeCall.contentType ?? 'application/json' }),
			},
			...(kubeCall.body === undefined ? {} : { body: JSON.stringify(kubeCall.body) }),
		});
		// The page of a proxy in between carries the time of the proxy.
		if (answer.statusCode < 500) clock.heard(answer.headers['date']);
		return answer;
	}

	/** One try; a rejection by the API server is thrown. */
	async function exchange<T>(kubeCall: KubeCall, signal: AbortSignal): Promise<T> {
		const startedAt = performance.now();
		try {
			const answer = await send(kubeCall, kubeCall.lane ?? 'work', signal);
			const text = await answer.body.text();
			observer.called(kubeCall, answer.statusCode, secondsSince(startedAt));
			if (answer.statusCode >= 400)
				throw rejected(kubeCall, answer.statusCode, text, answer.headers['retry-after'], rights);
			rights.granted(kubeCall);
			return parseAnswer(kubeCall, answer.statusCode, text) as T;
		} catch (error) {
			// The caller's own abort is not a fault of the API server.
			if (!(error instanceof KubeError) && !kubeCall.signal?.aborted)
				observer.called(kubeCall, 'error', secondsSince(startedAt));
			throw error;
		}
	}

	/** The time limit covers the waits while the API server throttles. */
	async function call<T>(kubeCall: KubeCall): Promise<T> {
		const endsAt = performance.now() + requestTimeoutMs;
		const ended = new AbortController();
		let timedOut = false;
		// Not AbortSignal.timeout and .any: they cost more than the rest of the call, and their timer would outlive it.
		const cancelTimer = setPatientTimer(() => {
			timedOut = true;
			ended.abort();
		}, requestTimeoutMs);
		const onAbort = () => ended.abort(kubeCall.signal?.reason);
		kubeCall.signal?.addEventListener('abort', onAbort, { once: true });
		try {
			kubeCall.signal?.throwIfAborted();
			for (let tries = 1; ; tries++)
				try {
					return await exchange<T>(kubeCall, ended.signal);
				} catch (error) {
					const waitMs = throttledForMs(error);
					const leftMs = endsAt - performance.now() - MIN_ANSWER_MS;
					if (waitMs === undefined || waitMs > leftMs || tries === MAX_THROTTLED_TRIES) throw error;
					await sleep(waitMs, { signal: ended.signal });
				}
		} catch (error) {
			if (error instanceof KubeError) throw error;
			if (kubeCall.signal?.aborted) throw kubeCall.signal.reason;
			throw unanswered(kubeCall, error, timedOut ? requestTimeoutMs : undefined);
		} finally {
			cancelTimer();
			kubeCall.signal?.removeEventListener('abort', onAbort);
		}
	}

	async function* lines(
		kubeCall: KubeCall,
		signal: AbortSignal,
		idleTimeoutMs: number | (() => number),
		onAccepted: () => void = () => {},
	): AsyncGenerator<string> {
		const startedAt = performance.now();
		const idleMs = typeof idleTimeoutMs === 'number' ? () => idleTimeoutMs : idleTimeoutMs;
		const ended = new AbortController();
		let answered = false;
		let silentMs: number | undefined;
		const limit = startIdleLimit(
			() => (answered ? idleMs() : requestTimeoutMs),
			(ms) => {
				silentMs = ms;
				ended.abort();
			},
		);
		const onAbort = () => ended.abort(signal.reason);
		signal.addEventListener('abort', onAbort, { once: true });
		try {
			signal.throwIfAborted();
			const answer = await send(kubeCall, 'watches', ended.signal);
			answered = true;
			limit.reset();
			observer.called(kubeCall, answer.statusCode, secondsSince(startedAt));
			if (answer.statusCode >= 400) {
				const text = await answer.body.text();
				throw rejected(kubeCall, answer.statusCode, text, answer.headers['retry-after'], rights);
			}
			rights.granted(kubeCall);
			onAccepted();
			yield* linesOf(answer.body, limit.reset);
		} catch (error) {
			if (error instanceof KubeError) throw error;
			if (signal.aborted) throw signal.reason;
			if (!answered) observer.called(kubeCall, 'error', secondsSince(startedAt));
			throw unanswered(kubeCall, error, silentMs);
		} finally {
			limit.cancel();
			signal.removeEventListener('abort', onAbort);
			ended.abort(); // a reader that leaves early ends the connection
		}
	}
	return { server, call, lines, close: () => connections.close() };
}

function secondsSince(startedAt: number): number {
	return (performance.now() - startedAt) / 1000;
}

/** Undefined: not throttled. Spread, so that callers that were sent away together do not come back together. */
function throttledForMs(error: unknown): number | undefined {
	if (!(error instanceof KubeError) || error.code !== 'KUBE_THROTTLED') return undefined;
	return (error.retryAfterMs ?? THROTTLED_MS) * (1 + THROTTLED_SPREAD * Math.random());
}

function parseAnswer(call: KubeCall, status: number, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw unreadable(call, status, text, cause);
	}
}
