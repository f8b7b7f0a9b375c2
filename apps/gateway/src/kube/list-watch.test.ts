import type { Clock } from '@kubernaut/backoff';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KubeCall, type KubeClient, KubeError } from './kube.ts';
import { type ListWatch, type ListWatchTarget, logSync, startListWatch } from './list-watch.ts';

type Item = { readonly metadata: { readonly name: string; readonly resourceVersion: string } };
/** A list as a stream. `during`: changes before its bookmark. `breaks`: it never comes to the bookmark. */
type List = {
	readonly items: Item[];
	readonly version: string;
	readonly during?: string[];
	readonly breaks?: Error | 'ends';
};
type Page = { readonly items: Item[]; readonly version: string; readonly next?: string };
/** A watch sends its lines, then ends; without `end` it stays open. A list goes on as the next watch. */
type Script = {
	readonly lines?: readonly string[];
	readonly end?: 'closes' | 'closes at once' | Error;
	/** Instead of an accepted watch. */
	readonly rejected?: Error;
};

const TARGET: ListWatchTarget = { path: '/things', resource: 'things', namespace: 'ns' };
const MAX_TIMERS = 20;
const item = (name: string, version: number): Item => ({ metadata: { name, resourceVersion: String(version) } });
const event = (type: string, object: unknown) => JSON.stringify({ type, object });
const gone = () => new KubeError('KUBE_GONE', 'too old');
const unavailable = () => new KubeError('KUBE_UNAVAILABLE', 'no answer');
const unknownParameter = () => new KubeError('KUBE_INVALID', 'sendInitialEvents is forbidden');
const listEnd = (version: string) =>
	event('BOOKMARK', { metadata: { resourceVersion: version, annotations: { 'k8s.io/initial-events-end': 'true' } } });

/** Elapses at once and records the delay, unless it is held. An endless loop stops after MAX_TIMERS. */
class RecordingClock implements Clock {
	readonly delaysMs: number[] = [];
	held = false;
	setTimer(onElapsed: () => void, delayMs: number): () => void {
		this.delaysMs.push(delayMs);
		if (!this.held && this.delaysMs.length < MAX_TIMERS) queueMicrotask(onElapsed);
		return () => {};
	}
}

class WatchedServer {
	readonly calls: string[] = [];
	readonly events: string[] = [];
	readonly clock = new RecordingClock();
	/** Resolved when the last watch has sent all its lines and stays open. */
	readonly quiet = Promise.withResolvers<void>();
	readonly #lists: (List | Error)[];
	readonly #watches: Script[];
	readonly #pages: (Page | Error)[];
	/** Silence that is accepted at the end of each stream. */
	readonly silencesMs: number[] = [];
	onChanged: (changed: Item) => void = () => {};

	constructor(lists: (List | Error)[], watches: Script[], pages: (Page | Error)[] = []) {
		this.#lists = [...lists];
		this.#watches = [...watches];
		this.#pages = [...pages];
	}

	readonly kube: Pick<KubeClient, 'call' | 'lines'> = {
		call: async <T>({ path, signal }: KubeCall): Promise<T> => {
			this.calls.push(`page ${path}`);
			await Promise.resolve();
			signal?.throwIfAborted();
			const page = this.#pages.shift() ?? new Error('unexpected page');
			if (page instanceof Error) throw page;
			return { metadata: { resourceVersion: page.version, continue: page.next ?? '' }, items: page.items } as T;
		},
		lines: (call, signal, idleMs, onAccepted) => this.#stream(call, signal, idleMs as () => number, onAccepted),
	};

	async *#stream(
		{ path }: KubeCall,
		signal: AbortSignal,
		idleMs: () => number,
		onAccepted: () => void = () => {},
	): AsyncGenerator<string> {
		const lists = path.includes('sendInitialEvents=true');
		this.calls.push(`${lists ? 'list' : 'watch'} ${path}`);
		await Promise.resolve();
		signal.throwIfAborted();
		if (lists && (yield* this.#list(idleMs)) === 'ended') return;
		const { lines = [], end, rejected } = this.#watches.shift() ?? {};
		if (rejected !== undefined) throw rejected;
		onAccepted();
		yield* lines;
		this.silencesMs.push(idleMs());
		if (end instanceof Error) throw end;
		if (end === 'closes') vi.advanceTimersByTime(60_000);
		if (end !== undefined) return;
		this.quiet.resolve();
		await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
	}

	*#list(idleMs: () => number): Generator<string, 'ended' | 'complete'> {
		const list = this.#lists.shift() ?? new Error('unexpected list');
		if (list instanceof Error) throw list;
		for (const listed of list.items) yield event('ADDED', listed);
		yield* list.during ?? [];
		this.silencesMs.push(idleMs());
		if (list.breaks instanceof Error) throw list.breaks;
		if (list.breaks !== undefined) {
			vi.advanceTimersByTime(60_000);
			return 'ended';
		}
		yield listEnd(list.version);
		return 'complete';
	}

	start(target: ListWatchTarget = TARGET): ListWatch {
		const record = (what: string) => void this.events.push(what);
		const handler = {
			replaced: (items: readonly Item[], version: string, isRestored: boolean) =>
				record(
					`all ${items.map(({ metadata }) => metadata.name).join(',')} at ${version}${isRestored ? ', restored' : ''}`,
				),
			changed: (changed: Item) => {
				this.onChanged(changed);
				record(`changed ${changed.metadata.name}`);
			},
			removed: ({ metadata }: Item) => record(`removed ${metadata.name}`),
			syncChanged: (inSync: boolean, reason: string) => record(inSync ? 'in sync' : `out of sync: ${reason}`),
		};
		const backoff = { calculate: (failures: number) => failures * 100 };
		const { clock } = this;
		return startListWatch<Item>(this.kube, target, (object) => object as Item, handler, {
			backoff,
			clock,
			random: () => 0.5,
		});
	}

	async run(): Promise<void> {
		const { stop } = this.start();
		await this.quiet.promise;
		stop();
	}

	/** The resourceVersion of each watch; "list" for each list, "page" for each page of one. */
	get versions(): string[] {
		return this.calls.map((path) => /resourceVersion=(\d+)/.exec(path)?.[1] ?? path.slice(0, 4));
	}
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('a list as a stream', () => {
	it('the handler gets all objects at the bookmark that ends the list, then each change of the same stream', async () => {
		const lines = [
			event('ADDED', item('b', 11)),
			event('MODIFIED', item('a', 12)),
			event('DELETED', item('b', 13)),
			event('BOOKMARK', item('', 14)),
		];
		const server = new WatchedServer([{ items: [item('a', 7)], version: '10' }], [{ lines }]);
		await server.run();
		expect(server.events).toEqual(['all a at 10', 'in sync', 'changed b', 'changed a', 'removed b']);
		expect(server.versions).toEqual(['list']);
	});

	it('changes before the bookmark are part of the list', async () => {
		const during = [
			event('MODIFIED', item('a', 8)),
			event('DELETED', item('b', 9)),
			event('BOOKMARK', item('', 9)),
			event('ADDED', item('c', 10)),
		];
		const list = { items: [item('a', 6), item('b', 7)], version: '10', during };
		const server = new WatchedServer([list], []);
		await server.run();
		expect(server.events).toEqual(['all a,c at 10', 'in sync']);
	});

	it('asks for a consistent list with bookmarks, then watches with a timeout, and passes the selectors to both', async () => {
		const server = new WatchedServer([{ items: [], version: '10' }], [{ end: 'closes' }]);
		const { stop } = server.start({ ...TARGET, labelSelector: 'app=x', fieldSelector: 'spec.a=b' });
		await server.quiet.promise;
		stop();
		const selection = '&labelSelector=app%3Dx&fieldSelector=spec.a%3Db';
		expect(server.calls).toEqual([
			`list /things?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1800${selection}`,
			`watch /things?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=10${selection}`,
		]);
	});

	it('silence is short inside a list and long behind it: there, bookmarks come once a minute', async () => {
		const server = new WatchedServer([{ items: [], version: '10' }], []);
		await server.run();
		expect(server.silencesMs).toEqual([15_000, 150_000]);
	});

	it('a failed list is retried with growing delays', async () => {
		const server = new WatchedServer([unavailable(), unavailable(), { items: [], version: '10' }], []);
		await server.run();
		expect(server.clock.delaysMs).toEqual([100, 200]);
		expect(server.versions).toEqual(['list', 'list', 'list']);
	});
});

describe('a list in pages', () => {
	const broken = { items: [item('a', 1)], version: '10' };

	it('a server that does not know streamed lists is asked for pages of ten objects, at once', async () => {
		const pages = [
			{ items: [item('a', 1), item('b', 2)], version: '10', next: 'to/ken=' },
			{ items: [item('c', 3)], version: '10' },
		];
		const server = new WatchedServer([unknownParameter()], [], pages);
		await server.run();
		expect(server.events).toEqual(['all a,b,c at 10', 'in sync', 'in sync']);
		expect(server.calls.slice(1, 3)).toEqual(['page /things?limit=10', 'page /things?limit=10&continue=to%2Fken%3D']);
		expect(server.versions).toEqual(['list', 'page', 'page', '10']);
		expect(server.clock.delaysMs).toEqual([]);
	});

	it.each<{ name: string; breaks: Error | 'ends'; want: string }>([
		{ name: 'breaks', breaks: unavailable(), want: 'no answer' },
		{ name: 'ends', breaks: 'ends', want: 'the list of things ended before it was complete' },
	])(
		'a stream that $name before its bookmark starts over in pages, and the handler sees no partial list',
		async ({ breaks, want }) => {
			const server = new WatchedServer([{ ...broken, breaks }], [], [{ items: [item('b', 2)], version: '20' }]);
			await server.run();
			expect(server.events).toEqual([`out of sync: ${want}`, 'all b at 20', 'in sync', 'in sync']);
			expect(server.versions).toEqual(['list', 'page', '20']);
			expect(server.clock.delaysMs).toEqual([100]);
		},
	);

	it('an expired page token restarts the list, as a stream, and the handler sees no partial list', async () => {
		const pages = [{ items: [item('a', 1)], version: '10', next: 'token' }, gone()];
		const server = new WatchedServer([unknownParameter(), { items: [item('b', 2)], version: '20' }], [], pages);
		await server.run();
		expect(server.events).toEqual(['out of sync: too old', 'all b at 20', 'in sync']);
		expect(server.versions).toEqual(['list', 'page', 'page', 'list']);
	});
});

describe('the version to continue from', () => {
	const list = { items: [], version: '10' };

	it.each<{ name: string; lines: string[]; want: string }>([
		{ name: 'no event', lines: [], want: '10' },
		{ name: 'a change', lines: [event('ADDED', item('a', 11)), event('MODIFIED', item('a', 15))], want: '15' },
		{ name: 'a removal', lines: [event('DELETED', item('a', 16))], want: '16' },
		{ name: 'a bookmark', lines: [event('ADDED', item('a', 11)), event('BOOKMARK', item('', 99))], want: '99' },
	])('$name, then the end of the stream: watches again from $want at once', async ({ lines, want }) => {
		const server = new WatchedServer([list], [{ lines, end: 'closes' }]);
		await server.run();
		expect(server.versions).toEqual(['list', want]);
		expect(server.clock.delaysMs).toEqual([]);
		expect(server.events.filter((words) => words.startsWith('out of sync'))).toEqual([]);
	});

	it.each<{ name: string; script: Script; want: string }>([
		{
			name: 'an error event',
			script: { lines: [event('ERROR', { code: 410, reason: 'Expired' })] },
			want: 'the watch of things broke: {"code":410,"reason":"Expired"}',
		},
		{ name: 'an expired version', script: { end: gone() }, want: 'too old' },
		{
			name: 'a line that cannot be parsed',
			script: { lines: ['{"type":"ADD'] },
			want: 'a line of the watch could not be parsed',
		},
	])('$name is a gap: a fresh list after a delay', async ({ script, want }) => {
		const changes = [event('ADDED', item('a', 11)), ...(script.lines ?? [])];
		const server = new WatchedServer(
			[list, { items: [item('c', 20)], version: '30' }],
			[{ ...script, lines: changes }],
		);
		await server.run();
		expect(server.events).toEqual([
			'all  at 10',
			'in sync',
			'changed a',
			`out of sync: ${want}`,
			'all c at 30',
			'in sync',
		]);
		expect(server.versions).toEqual(['list', 'list']);
		expect(server.clock.delaysMs).toEqual([100]);
	});

	it('a fault is no gap: watches from the same version with growing delays, and lists after the third fault in a row', async () => {
		const server = new WatchedServer(
			[list, { items: [], version: '30' }],
			[{ end: unavailable() }, { end: unavailable() }, { end: unavailable() }],
		);
		await server.run();
		expect(server.versions).toEqual(['list', '10', '10', 'list']);
		expect(server.clock.delaysMs).toEqual([100, 200, 300]);
	});

	it('a watch that the API server rejects is out of sync until one is accepted', async () => {
		const forbidden = { rejected: new KubeError('KUBE_FORBIDDEN', 'the Role lacks it') };
		const server = new WatchedServer([list], [{ end: 'closes' }, forbidden, forbidden, {}]);
		await server.run();
		expect(server.events.slice(2)).toEqual([
			'out of sync: the Role lacks it',
			'out of sync: the Role lacks it',
			'in sync',
		]);
	});

	it('a list that is older than what the API server has sent before is reported as restored', async () => {
		const changes = [event('ADDED', item('a', 11)), event('MODIFIED', item('a', 12))];
		const server = new WatchedServer(
			[list, { items: [item('a', 9)], version: '11' }, { items: [item('a', 9)], version: '12' }],
			[{ lines: changes, end: gone() }, { end: gone() }],
		);
		await server.run();
		expect(server.events.filter((what) => what.startsWith('all'))).toEqual([
			'all  at 10',
			'all a at 11, restored',
			'all a at 12',
		]);
	});

	it('an event resets the delays', async () => {
		const failing = { end: unavailable() };
		const server = new WatchedServer(
			[list],
			[failing, failing, { lines: [event('ADDED', item('a', 11))], ...failing }],
		);
		await server.run();
		expect(server.clock.delaysMs).toEqual([100, 200, 100]);
		expect(server.versions).toEqual(['list', '10', '10', '11']);
	});

	it('a watch that ends at once is retried with delays, not in a tight loop', async () => {
		const server = new WatchedServer([list], [{ end: 'closes at once' }, { end: 'closes at once' }]);
		await server.run();
		expect(server.clock.delaysMs).toEqual([100, 200]);
	});
});

describe('a handler', () => {
	it('that throws once gets the change again', async () => {
		const server = new WatchedServer(
			[{ items: [], version: '10' }],
			[
				{ lines: [event('ADDED', item('a', 11)), event('ADDED', item('b', 12))] },
				{ lines: [event('ADDED', item('b', 12))] },
			],
		);
		let thrown = false;
		server.onChanged = ({ metadata }) => {
			if (metadata.name !== 'b' || thrown) return;
			thrown = true;
			throw new Error('not now');
		};
		await server.run();
		expect(server.versions).toEqual(['list', '11']);
		expect(server.events.slice(2)).toEqual(['changed a', 'out of sync: not now', 'in sync', 'changed b']);
	});

	it('that throws repeatedly gets a fresh list', async () => {
		const poisoned = { lines: [event('ADDED', item('a', 11))] };
		const server = new WatchedServer(
			[
				{ items: [], version: '10' },
				{ items: [item('a', 11)], version: '20' },
			],
			[poisoned, poisoned, poisoned],
		);
		server.onChanged = () => {
			throw new Error('never');
		};
		await server.run();
		expect(server.versions).toEqual(['list', '10', '10', 'list']);
		expect(server.events.slice(-2)).toEqual(['all a at 20', 'in sync']);
	});
});

describe('stop', () => {
	it('ends a watch without a further event', async () => {
		const server = new WatchedServer([{ items: [], version: '10' }], []);
		const { stop } = server.start();
		await server.quiet.promise;
		stop();
		await turns();
		expect(server.events).toEqual(['all  at 10', 'in sync']);
		expect(server.versions).toEqual(['list']);
	});

	it('ends the delay before a retry', async () => {
		const server = new WatchedServer([unavailable()], []);
		server.clock.held = true;
		const { stop } = server.start();
		await turns();
		expect(server.clock.delaysMs).toEqual([100]);
		stop();
		await turns();
		expect(server.calls).toHaveLength(1);
	});

	it('during a list prevents the watch', async () => {
		const server = new WatchedServer([{ items: [], version: '10' }], []);
		const { stop } = server.start();
		stop();
		await turns();
		expect(server.events).toEqual([]);
		expect(server.versions).toEqual(['list']);
		expect(server.clock.delaysMs).toEqual([]);
	});
});

describe('relist', () => {
	it('ends a watch and lists again at once, without a report of a fault', async () => {
		const server = new WatchedServer(
			[
				{ items: [], version: '10' },
				{ items: [item('a', 9)], version: '9' },
			],
			[],
		);
		const { relist, stop } = server.start();
		await server.quiet.promise;
		relist();
		await turns();
		expect(server.events).toEqual(['all  at 10', 'in sync', 'all a at 9, restored', 'in sync']);
		expect(server.clock.delaysMs).toEqual([]);
		stop();
	});

	it('ends the delay before a retry', async () => {
		const server = new WatchedServer([unavailable(), { items: [], version: '10' }], []);
		server.clock.held = true;
		const { relist, stop } = server.start();
		await turns();
		relist();
		await turns();
		expect(server.events.slice(-2)).toEqual(['all  at 10', 'in sync']);
		stop();
	});
});

async function turns(): Promise<void> {
	for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

it('a change of sync is logged: debug when in sync, a warning with the reason when not', () => {
	const lines: unknown[] = [];
	const at = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message]);
	const onSync = logSync({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') });
	onSync('leases', true, 'watching');
	onSync('leases', false, 'no answer');
	expect(lines).toEqual([
		['debug', { what: 'leases', reason: 'watching' }, 'cache in sync'],
		['warn', { what: 'leases', reason: 'no answer' }, 'cache out of sync'],
	]);
});
