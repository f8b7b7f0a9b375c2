// Every change of stored objects, read from etcd itself and not through the API server: nothing is missed while that is
// down or begins anew, and all kinds are in one order, which is the order in which they were stored.
// Only what is stored as JSON can be read: custom resources always, others with `--storage-media-type=application/json`.
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { readStart } from '../parts/start-part.ts';
import { clientCredentials } from './certificates.ts';
import type { KubeObject } from './kube-api.ts';

export type StoredChange = {
	readonly revision: number;
	/** As `/registry/tekton.dev/pipelineruns/<namespace>/<name>`. */
	readonly key: string;
	/** Undefined: it was deleted. */
	readonly object: KubeObject | undefined;
};
type Answer = {
	readonly result?: {
		readonly header: { readonly revision: string };
		readonly created?: boolean;
		readonly events?: readonly {
			readonly kv: { readonly key: string; readonly value?: string; readonly mod_revision: string };
		}[];
	};
	readonly error?: { readonly message?: string };
};

const POLL_MS = 20;
/** etcd's words for: all keys. */
const ALL = Buffer.from('\0').toString('base64');

export class StoredHistory {
	readonly changes: StoredChange[] = [];
	readonly #url: string;
	readonly #prefixes: readonly string[];
	readonly #agent: Agent;
	readonly #stopping = new AbortController();
	#reading: Promise<void> = Promise.resolve();
	#revision = 0;
	#fault: unknown;

	private constructor(url: string, prefixes: readonly string[], agent: Agent) {
		this.#url = url;
		this.#prefixes = prefixes;
		this.#agent = agent;
	}

	/** `directory`: of a control plane of ours. From now on, of keys with one of these beginnings. */
	static async start(directory: string, prefixes: readonly string[]): Promise<StoredHistory> {
		const { ca, certificate: cert, key } = clientCredentials(directory)!;
		const agent = new Agent({ allowH2: false, bodyTimeout: 0, connect: { ca, cert, key } });
		const [port] = readStart(directory, 'etcd').ports;
		const history = new StoredHistory(`https://127.0.0.1:${port}`, prefixes, agent);
		await history.#follow();
		return history;
	}

	/** With all that is stored by now; fails when there is a gap. */
	async caughtUp(): Promise<void> {
		const body = JSON.stringify({ key: ALL, range_end: ALL, count_only: true });
		const { body: answer } = await request(`${this.#url}/v3/kv/range`, {
			method: 'POST',
			body,
			dispatcher: this.#agent,
		});
		const { header } = (await answer.json()) as { header: { revision: string } };
		while (this.#revision < Number(header.revision)) {
			if (this.#fault !== undefined) throw this.#fault;
			await new Promise((resolve) => setTimeout(resolve, POLL_MS));
		}
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await this.#reading;
		await this.#agent.destroy();
	}

	/** Ends when nothing is missed any more. */
	async #follow(): Promise<void> {
		const { signal } = this.#stopping;
		const body = JSON.stringify({ create_request: { key: ALL, range_end: ALL } });
		const answer = await request(`${this.#url}/v3/watch`, { method: 'POST', body, dispatcher: this.#agent, signal });
		const lines = createInterface({ input: answer.body });
		await new Promise<void>((created, failed) => {
			this.#reading = (async () => {
				for await (const line of lines) if (this.#read(JSON.parse(line) as Answer)) created();
				throw new Error('etcd ended the watch');
			})().catch((error: unknown) => {
				if (!signal.aborted) this.#fault = error;
				failed(error);
			});
		});
	}

	/** True for the answer that says that the watch is there. */
	#read({ result, error }: Answer): boolean {
		if (result === undefined) throw new Error(`etcd: ${error?.message ?? 'no result'}`);
		for (const { kv } of result.events ?? []) {
			const key = Buffer.from(kv.key, 'base64').toString();
			if (!this.#prefixes.some((prefix) => key.startsWith(prefix))) continue;
			const text = kv.value === undefined ? '' : Buffer.from(kv.value, 'base64').toString();
			const object = text === '' ? undefined : (JSON.parse(text) as KubeObject);
			this.changes.push({ revision: Number(kv.mod_revision), key, object });
		}
		this.#revision = Math.max(this.#revision, Number(result.header.revision));
		return result.created === true;
	}
}
