// The use cases on a model of the API server and a scripted lock.
import { BACKOFF_PRESETS, createBackoff } from '@kubernaut/backoff';
import type { DistributedLock, Held, LockResult } from '../../src/distributed-lock.ts';
import { createSignalIngest } from '../../src/ingest/ingest-signal.ts';
import { OccurrenceCommitter } from '../../src/ingest/occurrence-commit.ts';
import { RequestCache } from '../../src/objects/request-cache.ts';
import { createRequestStore } from '../../src/objects/request-store.ts';
import type { IngestResult } from '../../src/signal/signal.ts';
import { ModelKube } from '../simulation/model-kube.ts';
import { isActive, type StoredLink } from '../simulation/store-model.ts';
import { knownAtOnce } from './known-at-once.ts';
import { FINGERPRINT, FIRST, SIGNAL } from './sample-signal.ts';

/** Free, unless a test says otherwise. */
class StubLock implements Pick<DistributedLock, 'withLock' | 'waitForRelease' | 'leaseName'> {
	attempts = 0;
	readonly waits: number[] = [];
	contendedFor = 0;
	/** Instead of an attempt. */
	fault: Error | undefined;
	assertHeld = () => {};
	leaseName = (key: string) => `gw-lock-${key.slice(0, 8)}`;
	onWait: (abort: AbortSignal | undefined) => Promise<void> | void = () => {};

	async withLock<T>(key: string, run: (held: Held) => Promise<T>, options: { signal?: AbortSignal } = {}) {
		this.attempts++;
		if (this.fault !== undefined) throw this.fault;
		if (this.attempts <= this.contendedFor)
			return { outcome: 'contended', holder: 'other', retryAfterMs: 1 } satisfies LockResult<T>;
		const { signal = new AbortController().signal } = options;
		const held = { key, holder: 'us', fencingToken: 7n, signal, assertHeld: () => this.assertHeld() };
		return { outcome: 'ran' as const, value: await run(held) };
	}

	async waitForRelease(_key: string, atMostMs: number, abort?: AbortSignal): Promise<void> {
		this.waits.push(atMostMs);
		await this.onWait(abort);
	}
}

export class IngestFixture {
	readonly kube = new ModelKube(FINGERPRINT);
	readonly lock = new StubLock();
	readonly cache = new RequestCache();
	readonly retries: string[] = [];
	readonly requests = createRequestStore(this.kube, 'ns');
	listed = true;
	readonly #ingest = createSignalIngest({
		lock: this.lock,
		store: this.requests,
		cache: this.cache,
		committer: new OccurrenceCommitter('pod', {
			store: this.requests,
			known: knownAtOnce(this.cache),
			now: () => new Date(0),
			gather: async () => {},
		}),
		isListed: () => this.listed,
		backoff: createBackoff(BACKOFF_PRESETS.standard, { random: () => 0.5 }),
		namespace: 'ns',
		now: () => new Date(0),
		observer: {
			retrying: ({ attempt }) => void this.retries.push(`retrying after ${attempt}`),
			retrySucceeded: () => void this.retries.push('succeeded'),
			retryTimedOut: () => void this.retries.push('timed out'),
		},
	});

	/** One active request, made by another replica and known to the cache. */
	static async withRequest(): Promise<IngestFixture> {
		const fixture = new IngestFixture();
		fixture.createdByOther();
		await fixture.sync();
		return fixture;
	}

	ingest(abort = new AbortController().signal): Promise<IngestResult> {
		return this.#ingest.ingest(SIGNAL, { abort });
	}

	resolve(abort = new AbortController().signal) {
		return this.#ingest.resolve(SIGNAL, { abort });
	}

	/** The watch catches up. */
	async sync(): Promise<void> {
		for (const link of await this.requests.list(FINGERPRINT)) this.cache.changed(link);
		this.kube.requests.length = 0;
	}

	end(name = FIRST): void {
		this.kube.serve({ verb: 'patch', name, status: { terminal: true } });
	}

	createdByOther(name = FIRST, chain = 0): void {
		this.kube.serve({ verb: 'create', name, chain, token: 'other' });
	}

	get active(): StoredLink[] {
		return this.kube.store.links.filter(isActive);
	}
}

export const created = { outcome: 'created', request: { name: FIRST, namespace: 'ns' }, occurrenceCount: 1 };
export const duplicate = (occurrenceCount: number, name = FIRST) => ({
	outcome: 'duplicate',
	request: { name, namespace: 'ns' },
	occurrenceCount,
});
