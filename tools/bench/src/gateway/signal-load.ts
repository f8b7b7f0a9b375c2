// Sends signals to replicas over kept-alive connections, as load balancer and Alertmanager would, in turn to each.
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { alertAbout, webhookBody } from '../signal-request.ts';

export type SignalAnswer = { readonly status: number; readonly ms: number; readonly text: string };
type Storm = { readonly lastAnswerMs: number; readonly answers: readonly SignalAnswer[] };

const PATH = '/api/v1/signals/prometheus';
const TIMEOUT_MS = 60_000;
const RETRY_MS = 1000;
let lastNumber = 0;

/** A name that no signal of this run was about yet. */
export function freshDeployment(prefix: string): string {
	return `${prefix}-${++lastNumber}`;
}

export class SignalLoad {
	readonly #pools: readonly Pool[];
	readonly #headers: Readonly<Record<string, string>>;
	#turn = 0;

	/** `token`: the sender's, where replicas ask for one. */
	constructor(urls: readonly string[], token?: string) {
		const timeouts = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
		this.#pools = urls.map((url) => new Pool(url, { ...timeouts, allowH2: false }));
		this.#headers = {
			'content-type': 'application/json',
			'user-agent': 'Alertmanager/0.31.1',
			...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
		};
	}

	send(deployment: string, alertName?: string): Promise<SignalAnswer> {
		return this.#sendTo(this.#nextPool(), deployment, alertName);
	}

	/** Any webhook. */
	post(body: string): Promise<SignalAnswer> {
		return this.#post(this.#nextPool(), body);
	}

	#sendTo(pool: Pool, deployment: string, alertName?: string): Promise<SignalAnswer> {
		return this.#post(pool, webhookBody(alertAbout(deployment, alertName)));
	}

	async #post(pool: Pool, body: string): Promise<SignalAnswer> {
		const startedAt = performance.now();
		const answer = await pool.request({ method: 'POST', path: PATH, headers: this.#headers, body });
		const text = await answer.body.text();
		return { status: answer.statusCode, ms: performance.now() - startedAt, text };
	}

	/** So many signals at once, over connections that are open already. */
	async storm(
		bodyOf: (i: number) => string,
		signals: number,
		onAnswer?: (answer: SignalAnswer) => void,
	): Promise<Storm> {
		await this.#openConnections(signals);
		const startedAt = performance.now();
		const sendOne = async (_: unknown, i: number) => {
			const answer = await this.post(bodyOf(i));
			onAnswer?.(answer);
			return answer;
		};
		const answers = await Promise.all(Array.from({ length: signals }, sendOne));
		return { lastAnswerMs: performance.now() - startedAt, answers };
	}

	/** As many signals as in a storm, to servers that answer without a call. */
	async exchange(signals: number): Promise<void> {
		const deployment = freshDeployment('exchange');
		const headers = { ...this.#headers, 'x-calls': 'none' };
		const sendOne = async () => {
			const body = webhookBody(alertAbout(deployment));
			const answer = await this.#nextPool().request({ method: 'POST', path: PATH, headers, body });
			await answer.body.text();
		};
		await Promise.all(Array.from({ length: signals }, sendOne));
	}

	/** Signals about different deployments, never more than `concurrency` under way; returns how long all took. */
	async distinct(prefix: string, signals: number, concurrency: number): Promise<number> {
		await this.#openConnections(concurrency);
		const startedAt = performance.now();
		await inParallel(signals, concurrency, async () => expectCreated(await this.send(freshDeployment(prefix))));
		return performance.now() - startedAt;
	}

	/**
	 * Each replica has callers of its own, which send the next signal when the last was answered; one that was not served
	 * waits before. Returns the answers of each replica.
	 */
	async closedLoop(callersPerReplica: number, forMs: number, deploymentOf: () => string): Promise<SignalAnswer[][]> {
		await this.#openConnections(callersPerReplica * this.#pools.length);
		const endsAt = performance.now() + forMs;
		const callers = this.#pools.map(async (pool) => {
			const answers: SignalAnswer[] = [];
			const call = async () => {
				while (performance.now() < endsAt) {
					const answer = await this.#sendTo(pool, deploymentOf());
					answers.push(answer);
					if (answer.status > 202) await delay(RETRY_MS);
				}
			};
			await Promise.all(Array.from({ length: callersPerReplica }, call));
			return answers;
		});
		return Promise.all(callers);
	}

	async close(): Promise<void> {
		await Promise.all(this.#pools.map((pool) => pool.destroy()));
	}

	async #openConnections(count: number): Promise<void> {
		const ask = async () => (await this.#nextPool().request({ method: 'GET', path: '/' })).body.dump();
		await Promise.all(Array.from({ length: count }, ask));
	}

	#nextPool(): Pool {
		return this.#pools[this.#turn++ % this.#pools.length]!;
	}
}

export function expectCreated(answer: SignalAnswer): void {
	if (answer.status !== 201) throw new Error(`a new signal was answered with ${answer.status}: ${answer.text}`);
}

export async function inParallel(times: number, concurrency: number, run: () => Promise<unknown>): Promise<void> {
	let left = times;
	const work = async () => {
		while (left-- > 0) await run();
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, times) }, work));
}
