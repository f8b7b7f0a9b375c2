// A small client for tests, demo and benchmarks: the API server's own paths and objects, one kept-alive connection
// pool, errors with the server's reason. (The apps have their own in kube.ts; tools never run inside them.)
import type { RequestOptions } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';

export type KubeMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type KubeRequest = {
	body?: unknown;
	contentType?: string;
	accept?: string;
	userAgent?: string;
	/** Act as another user (needs the right to impersonate, which administrators have). */
	asUser?: string;
	signal?: AbortSignal;
	/** Sees the headers of the answer: warnings, and how the call was classified. */
	onHeaders?: (headers: Readonly<Record<string, string | string[] | undefined>>) => void;
};
export type KubeResponse = { status: number; body: KubeObject };
export type KubeObject = {
	// biome-ignore lint: the API server's objects are open; tests read what they know is there
	[key: string]: any;
};

export const APPLY = 'application/apply-patch+yaml';
export const MERGE_PATCH = 'application/merge-patch+json';
const TIMEOUT_MS = 30_000;
// Hundreds of calls at once would all shake hands at once, and time out together.
const CONNECTIONS = 32;
const THROTTLED = 429;
const THROTTLED_WAIT_MS = 250;
const MAX_TRIES = 40;

export class KubeApiError extends Error {
	readonly status: number;
	readonly reason: string;
	constructor(method: string, path: string, { status, body }: KubeResponse) {
		super(`${method} ${path}: ${status} ${body['reason'] ?? ''}: ${body['message'] ?? ''}`);
		this.name = 'KubeApiError';
		this.status = status;
		this.reason = String(body['reason'] ?? '');
	}
}

export class KubeApi {
	readonly server: string;
	readonly #config: KubeConfig;
	readonly #userAgent: string;
	#dispatcher: Agent | undefined;

	constructor(config: KubeConfig, userAgent = 'kubernaut-tools') {
		const cluster = config.getCurrentCluster();
		if (!cluster) throw new Error('the kubeconfig names no current cluster');
		this.server = cluster.server.replace(/\/$/, '');
		this.#config = config;
		this.#userAgent = userAgent;
	}

	static fromFile(path: string, userAgent?: string): KubeApi {
		const config = new KubeConfig();
		config.loadFromFile(path);
		return new KubeApi(config, userAgent);
	}

	/** The answer, whatever it is. */
	async send(method: KubeMethod, path: string, options: KubeRequest = {}): Promise<KubeResponse> {
		const credentials: RequestOptions = {};
		await this.#config.applyToHTTPSOptions(credentials);
		this.#dispatcher ??= new Agent({
			allowH2: false,
			connections: CONNECTIONS,
			connect: {
				timeout: TIMEOUT_MS,
				ca: credentials.ca,
				cert: credentials.cert,
				key: credentials.key,
				...(credentials.servername ? { servername: credentials.servername } : {}),
				...(credentials.rejectUnauthorized === false ? { rejectUnauthorized: false } : {}),
			},
		});
		const answer = await request(`${this.server}${path}`, {
			method,
			dispatcher: this.#dispatcher,
			headersTimeout: TIMEOUT_MS,
			bodyTimeout: TIMEOUT_MS,
			headers: {
				...(credentials.headers as Record<string, string> | undefined),
				accept: options.accept ?? 'application/json',
				'user-agent': options.userAgent ?? this.#userAgent,
				...(options.asUser ? { 'impersonate-user': options.asUser } : {}),
				...(options.body === undefined ? {} : { 'content-type': options.contentType ?? 'application/json' }),
			},
			...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
			...(options.signal ? { signal: options.signal } : {}),
		});
		options.onHeaders?.(answer.headers);
		const text = await answer.body.text();
		return { status: answer.statusCode, body: parse(text) };
	}

	/** The object, or an error. 429 is waited for: a kind whose CRD was just changed is answered so, too. */
	async call(method: KubeMethod, path: string, options: KubeRequest = {}): Promise<KubeObject> {
		for (let tries = 1; ; tries++) {
			const response = await this.send(method, path, options);
			if (response.status < 400) return response.body;
			if (response.status !== THROTTLED || tries === MAX_TRIES) throw new KubeApiError(method, path, response);
			await delay(THROTTLED_WAIT_MS, undefined, options.signal ? { signal: options.signal } : {});
		}
	}

	async close(): Promise<void> {
		await this.#dispatcher?.destroy();
	}
}

function parse(text: string): KubeObject {
	try {
		return JSON.parse(text) as KubeObject;
	} catch {
		return { message: text }; // health endpoints and proxies answer in words
	}
}
