// The API server: kept-alive connections, a timeout on every call, faults classified once.
// The kubeconfig and its credentials are the client library's business (tokens that rotate, exec plugins, in-cluster
// files); the calls are not, because the library opens a TLS connection for each.
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { type Dispatcher, request } from 'undici';
import { APP } from '../app.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { orAborted } from '../process/abort.ts';
import { keptConnections } from './kube-connections.ts';

export type KubeVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
export type KubeCall = {
	readonly verb: KubeVerb;
	readonly path: string;
	/** The plural, for metrics and for the words of an error. */
	readonly resource: string;
	readonly namespace?: string;
	readonly body?: unknown;
	readonly contentType?: string;
	readonly signal?: AbortSignal;
};
/** `code` is the HTTP status, or "error" when there was no answer. */
export type KubeObserver = { called(call: KubeCall, code: number | 'error', seconds: number): void };
export type KubeClient = {
	readonly server: string;
	call<T>(call: KubeCall): Promise<T>;
	/** An answer without an end, line by line: a watch. Silence longer than the idle time ends it as a fault. */
	lines(call: KubeCall, signal: AbortSignal, idleTimeoutMs: number): AsyncGenerator<string>;
	close(): Promise<void>;
};

export class KubeError extends AppError {
	readonly status: number | undefined;
	readonly reason: string | undefined;
	readonly retryAfterMs: number | undefined;
	constructor(
		code: ErrorCode,
		message: string,
		details: { status?: number; reason?: string; retryAfterMs?: number; cause?: unknown } = {},
	) {
		super(code, message, details.cause === undefined ? undefined : { cause: details.cause });
		this.status = details.status;
		this.reason = details.reason;
		this.retryAfterMs = details.retryAfterMs;
	}
}

const METHODS = {
	get: 'GET',
	list: 'GET',
	watch: 'GET',
	create: 'POST',
	update: 'PUT',
	patch: 'PATCH',
	delete: 'DELETE',
} as const;

export function loadKubeConfig(path: string | undefined): KubeConfig {
	const config = new KubeConfig();
	if (path === undefined) config.loadFromCluster();
	else config.loadFromFile(path);
	return config;
}

/** Why there is no way to an API server, in words: nothing that comes later could mend that. */
export function kubeConfigProblem(
	path: string | undefined,
	environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
	if (path === undefined)
		return environment['KUBERNETES_SERVICE_HOST']
			? undefined
			: 'KUBECONFIG is not set, and this is not a pod of a cluster: name a kubeconfig in it';
	try {
		return loadKubeConfig(path).getCurrentCluster()?.server
			? undefined
			: `KUBECONFIG: ${path} names no cluster: its current-context must be one of its contexts`;
	} catch (error) {
		return `KUBECONFIG: ${path} cannot be read: ${reasonOf(error)}`;
	}
}

export function createKubeClient(config: KubeConfig, requestTimeoutMs: number, observer: KubeObserver): KubeClient {
	const server = (config.getCurrentCluster()?.server ?? '').replace(/\/$/, '');
	const connections = keptConnections(requestTimeoutMs);

	async function send(
		kubeCall: KubeCall,
		signal: AbortSignal,
		idleTimeoutMs: number,
	): Promise<Dispatcher.ResponseData> {
		const credentials: RequestOptions = {};
		// A plugin may be asked for them, which may hang.
		await orAborted(config.applyToHTTPSOptions(credentials), signal);
		return request(`${server}${kubeCall.path}`, {
			method: METHODS[kubeCall.verb],
			dispatcher: connections.with(credentials),
			signal,
			headersTimeout: requestTimeoutMs,
			bodyTimeout: idleTimeoutMs,
			// Else undici lets go of the connection after each delete, because it has a body (the preconditions).
			reset: false,
			headers: {
				...(credentials.headers as Record<string, string> | undefined),
				accept: 'application/json',
				'user-agent': `kubernaut-${APP.name}`,
				...(kubeCall.body === undefined ? {} : { 'content-type': kubeCall.contentType ?? 'application/json' }),
			},
			...(kubeCall.body === undefined ? {} : { body: JSON.stringify(kubeCall.body) }),
		});
	}

	async function call<T>(kubeCall: KubeCall): Promise<T> {
		const startedAt = performance.now();
		const ended = new AbortController();
		let isLate = false;
		// Not AbortSignal.timeout and .any: they cost more than the rest of this, and the timer of one would outlive its call.
		const timer = setTimeout(() => {
			isLate = true;
			ended.abort();
		}, requestTimeoutMs);
		const leave = () => ended.abort(kubeCall.signal?.reason);
		kubeCall.signal?.addEventListener('abort', leave, { once: true });
		try {
			kubeCall.signal?.throwIfAborted();
			const answer = await send(kubeCall, ended.signal, requestTimeoutMs);
			const text = await answer.body.text();
			observer.called(kubeCall, answer.statusCode, (performance.now() - startedAt) / 1000);
			if (answer.statusCode >= 400) throw refusal(kubeCall, answer.statusCode, text, answer.headers['retry-after']);
			return parseAnswer(kubeCall, answer.statusCode, text) as T;
		} catch (error) {
			if (error instanceof KubeError) throw error;
			// The caller's own abort is not a fault of the API server.
			if (kubeCall.signal?.aborted) throw kubeCall.signal.reason;
			observer.called(kubeCall, 'error', (performance.now() - startedAt) / 1000);
			throw unanswered(kubeCall, error, isLate ? requestTimeoutMs : undefined);
		} finally {
			clearTimeout(timer);
			kubeCall.signal?.removeEventListener('abort', leave);
		}
	}

	async function* lines(kubeCall: KubeCall, signal: AbortSignal, idleTimeoutMs: number): AsyncGenerator<string> {
		const startedAt = performance.now();
		let answered = false;
		try {
			const answer = await send(kubeCall, signal, idleTimeoutMs);
			answered = true;
			observer.called(kubeCall, answer.statusCode, (performance.now() - startedAt) / 1000);
			if (answer.statusCode >= 400)
				throw refusal(kubeCall, answer.statusCode, await answer.body.text(), answer.headers['retry-after']);
			yield* linesOf(answer.body);
		} catch (error) {
			if (error instanceof KubeError) throw error;
			if (signal.aborted) throw signal.reason;
			if (!answered) observer.called(kubeCall, 'error', (performance.now() - startedAt) / 1000);
			throw unanswered(kubeCall, error);
		}
	}
	return { server, call, lines, close: () => connections.close() };
}

function parseAnswer(call: KubeCall, status: number, text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (cause) {
		const start = JSON.stringify(text.slice(0, 80));
		throw new KubeError('KUBE_UNAVAILABLE', `${inWords(call)}: ${status} with what is no JSON: ${start}`, {
			status,
			cause,
		});
	}
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = '';
	for await (const chunk of body) {
		const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
		rest = parts.pop() ?? '';
		yield* parts;
	}
}

function unanswered(call: KubeCall, cause: unknown, timeoutMs?: number): KubeError {
	const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
	return timeoutMs !== undefined || code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT'
		? new KubeError('KUBE_TIMEOUT', `${inWords(call)}: no answer${timeoutMs ? ` within ${timeoutMs} ms` : ''}`, {
				cause,
			})
		: new KubeError('KUBE_UNAVAILABLE', `${inWords(call)}: ${reasonOf(cause)}`, { cause });
}

/** 409 is two things: only the reason tells them apart. */
function refusal(call: KubeCall, status: number, text: string, retryAfter: string | string[] | undefined): KubeError {
	const { reason, message } = parseStatus(text);
	const seconds = Number(Array.isArray(retryAfter) ? retryAfter[0] : retryAfter);
	const details = {
		status,
		...(reason === undefined ? {} : { reason }),
		...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
	};
	const because = (code: ErrorCode) =>
		new KubeError(code, `${inWords(call)}: ${status} ${message ?? reason ?? ''}`.trim(), details);
	switch (status) {
		case 401:
			return because('KUBE_UNAUTHORIZED');
		case 403:
			// A quota, a policy and a namespace that is going say 403 too, and no Role would change that.
			return / cannot \w+ (?:resource|path) /.test(message ?? '')
				? new KubeError('KUBE_FORBIDDEN', `${inWords(call)}: forbidden; the Role lacks ${missingRule(call)}`, details)
				: because('KUBE_FORBIDDEN');
		case 404:
			return because('KUBE_NOT_FOUND');
		case 409:
			return because(reason === 'AlreadyExists' ? 'KUBE_ALREADY_EXISTS' : 'KUBE_CONFLICT');
		case 410:
			return because('KUBE_GONE');
		case 429:
			return because('KUBE_THROTTLED');
		default:
			return because(status >= 500 ? 'KUBE_UNAVAILABLE' : 'KUBE_INVALID');
	}
}

function missingRule(call: KubeCall): string {
	const group = /^\/apis\/([^/]+)\//.exec(call.path)?.[1] ?? '';
	return JSON.stringify({ apiGroups: [group], resources: [call.resource], verbs: [call.verb] });
}

function inWords(call: KubeCall): string {
	return `${call.verb} ${call.resource}${call.namespace === undefined ? '' : ` in ${call.namespace}`}`;
}

function parseStatus(text: string): { reason?: string; message?: string } {
	try {
		return JSON.parse(text) as { reason?: string; message?: string };
	} catch {
		return { message: text.slice(0, 200) }; // a proxy's page, not the API server's words
	}
}

function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
