// Calls to the API server: kept-alive connections, a time limit on every call, faults classified once.
// The client library reads the kubeconfig and its credentials (tokens that rotate, exec plugins, in-cluster files). It
// does not make the calls, because it opens a TLS connection for each.
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { type Dispatcher, request } from 'undici';
import { APP } from '../app.ts';
import { orAborted } from '../process/abort.ts';
import { keptConnections } from './kube-connections.ts';
import { KubeError, reasonOf, rejected, unanswered, unreadable } from './kube-errors.ts';

export type KubeVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
export type KubeCall = {
	readonly verb: KubeVerb;
	readonly path: string;
	/** The plural, for metrics and for error messages. */
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
	/** A watch: an answer without an end, line by line. Silence longer than the idle time ends it as a fault. */
	lines(call: KubeCall, signal: AbortSignal, idleTimeoutMs: number): AsyncGenerator<string>;
	close(): Promise<void>;
};

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

export function loadKubeConfig(path: string | undefined): KubeConfig {
	const config = new KubeConfig();
	if (path === undefined) config.loadFromCluster();
	else config.loadFromFile(path);
	return config;
}

/** A sentence when no API server can be found; trying again would not help. */
export function kubeConfigProblem(
	path: string | undefined,
	environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
	if (path === undefined)
		return environment['KUBERNETES_SERVICE_HOST']
			? undefined
			: 'KUBECONFIG is not set, and this is not a pod of a cluster: set it to a kubeconfig file';
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
		// An exec plugin may hang.
		await orAborted(config.applyToHTTPSOptions(credentials), signal);
		return request(`${server}${kubeCall.path}`, {
			method: METHODS[kubeCall.verb],
			dispatcher: connections.with(credentials),
			signal,
			headersTimeout: requestTimeoutMs,
			bodyTimeout: idleTimeoutMs,
			// Otherwise undici closes the connection after each delete, because it has a body (the preconditions).
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
		let timedOut = false;
		// Not AbortSignal.timeout and .any: they cost more than the rest of the call, and their timer would outlive it.
		const timer = setTimeout(() => {
			timedOut = true;
			ended.abort();
		}, requestTimeoutMs);
		const onAbort = () => ended.abort(kubeCall.signal?.reason);
		kubeCall.signal?.addEventListener('abort', onAbort, { once: true });
		try {
			kubeCall.signal?.throwIfAborted();
			const answer = await send(kubeCall, ended.signal, requestTimeoutMs);
			const text = await answer.body.text();
			observer.called(kubeCall, answer.statusCode, (performance.now() - startedAt) / 1000);
			if (answer.statusCode >= 400) throw rejected(kubeCall, answer.statusCode, text, answer.headers['retry-after']);
			return parseAnswer(kubeCall, answer.statusCode, text) as T;
		} catch (error) {
			if (error instanceof KubeError) throw error;
			// The caller's own abort is not a fault of the API server.
			if (kubeCall.signal?.aborted) throw kubeCall.signal.reason;
			observer.called(kubeCall, 'error', (performance.now() - startedAt) / 1000);
			throw unanswered(kubeCall, error, timedOut ? requestTimeoutMs : undefined);
		} finally {
			clearTimeout(timer);
			kubeCall.signal?.removeEventListener('abort', onAbort);
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
				throw rejected(kubeCall, answer.statusCode, await answer.body.text(), answer.headers['retry-after']);
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
		throw unreadable(call, status, text, cause);
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
