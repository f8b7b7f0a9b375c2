// Signals through the Service, as an Alertmanager sends them: what was not taken is sent again.
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { Platform } from './platform.ts';
import { TIMEOUTS } from './timeouts.ts';
import { type Signal, webhook } from './webhook.ts';

export type Sent = {
	readonly status: number;
	readonly tries: number;
	readonly text: string;
	/** What the gateway asked for. */
	readonly retryAfterMs: number;
};
export type Sender = {
	/** Until it is taken (2xx) or rejected for good (4xx). */
	send(signal: Signal): Promise<Sent>;
	/** Bytes as they are, with the sender's token. */
	post(body: string, contentType?: string): Promise<number>;
	close(): Promise<void>;
};

const PATH = '/api/v1/signals/prometheus';
const RETRY_MS = 500;
const MAX_GROWTH = 16;
/** Each on a connection of its own at once, so that a Service spreads them over its pods. */
const CONNECTIONS = 1024;
const ANSWER_MS = 30_000;

export async function openSender(platform: Platform): Promise<Sender> {
	const token = await platform.senderToken();
	const dispatcher = new Agent({ allowH2: false, connections: CONNECTIONS, headersTimeout: ANSWER_MS });
	const ask = async (body: string, contentType = 'application/json') => {
		const headers = { 'content-type': contentType, authorization: `Bearer ${token}` };
		const url = `${platform.signalUrl()}${PATH}`;
		const answer = await request(url, { method: 'POST', headers, body, dispatcher });
		const retryAfterMs = Number(answer.headers['retry-after'] ?? 0) * 1000;
		return { status: answer.statusCode, text: await answer.body.text(), retryAfterMs };
	};
	/** Status 0: no answer, the connection ended. */
	const tryOnce = async (signal: Signal): Promise<Sent> => {
		try {
			return { tries: 1, ...(await ask(webhook(signal))) };
		} catch (error) {
			return { status: 0, tries: 1, text: (error as Error).message, retryAfterMs: 0 };
		}
	};
	return {
		async send(signal) {
			const givenUpAt = performance.now() + TIMEOUTS.sendingMs;
			for (let tries = 1; ; tries++) {
				const sent = await tryOnce(signal);
				const isFinal = sent.status >= 200 && sent.status < 500 && sent.status !== 429;
				if (isFinal || performance.now() > givenUpAt) return { ...sent, tries };
				// As asked for, and longer each time, as Alertmanager does it: a crowd that comes back at once is never served.
				await delay(Math.max(sent.retryAfterMs, RETRY_MS * Math.min(2 ** (tries - 1), MAX_GROWTH)));
			}
		},
		async post(body, contentType) {
			const givenUpAt = performance.now() + TIMEOUTS.sendingMs;
			for (;;) {
				const { status, retryAfterMs } = await ask(body, contentType);
				// An overloaded gateway asks to come back before it has read what is wrong with it.
				if (status !== 503 || performance.now() > givenUpAt) return status;
				await delay(Math.max(retryAfterMs, RETRY_MS));
			}
		},
		close: () => dispatcher.destroy(),
	};
}

/** Senders that send the next signal when the last was taken, until they are stopped. */
export type Load = { readonly sent: readonly Sent[]; stop(): Promise<readonly Sent[]> };

/** `after`: what a sender waits for when its signal was taken. */
export function startLoad(
	sender: Sender,
	callers: number,
	next: (count: number) => Signal,
	after: (signal: Signal) => Promise<unknown> = async () => {},
): Load {
	const sent: Sent[] = [];
	const stopping = new AbortController();
	let count = 0;
	const call = async () => {
		while (!stopping.signal.aborted) {
			const signal = next(count++);
			sent.push(await sender.send(signal));
			await after(signal);
		}
	};
	const calls = Promise.all(Array.from({ length: callers }, call));
	return {
		sent,
		async stop() {
			stopping.abort();
			await calls;
			return sent;
		},
	};
}
