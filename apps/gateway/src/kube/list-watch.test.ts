import type { Clock } from '@kubernaut/backoff';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KubeCall, type KubeClient, KubeError } from './kube.ts';
import { type ListWatch, type ListWatchTarget, startListWatch } from './list-watch.ts';

type Item = { readonly name: string; readonly metadata: { readonly resourceVersion: string } };
type Page = { readonly items: Item[]; readonly version: string; readonly next?: string };
/** What a watch sends: lines, then its end. It goes on for ever unless told. */
type Script = { readonly lines?: readonly string[]; readonly end?: 'closes' | 'closes at once' | Error };

const TARGET: ListWatchTarget = { path: '/things', resource: 'things', namespace: 'ns' };
const MOST_TIMERS = 20;
const item = (name: string, version: number): Item => ({ name, metadata: { resourceVersion: String(version) } });
const event = (type: string, object: unknown) => JSON.stringify({ type, object });
const gone = () => new KubeError('KUBE_GONE', 'too old');
const unavailable = () => new KubeError('KUBE_UNAVAILABLE', 'no answer');

/** Elapses at once and remembers, unless it is held. A loop without an end gets no further than MOST_TIMERS. */
class RecordingClock implements Clock {
	readonly delaysMs: number[] = [];
	held = false;
	setTimer(onElapsed: () => void, delayMs: number): () => void {
		this.delaysMs.push(delayMs);
		if (!this.held && this.delaysMs.length < MOST_TIMERS) queueMicrotask(onElapsed);
		return () => {};
	}
}

class Room {
	readonly asked: string[] = [];
	readonly heard: string[] = [];
	readonly clock = new RecordingClock();
	/** The watch whose script has run out goes on in silence. */
	readonly quiet = Promise.withResolvers<void>();
	readonly #lists: (Page | Error)[];
	readonly #watches: Script[];
	onChanged: (changed: Item) => void = () => {};

	constructor(lists: (Page | Error)[], watches: Script[]) {
		this.#lists = [...lists];
		this.#watches = [...watches];
	}

	readonly kube: Pick<KubeClient, 'call' | 'lines'> = {
		call: async <T>({ path, signal }: KubeCall): Promise<T> => {
			this.asked.push(`list ${path}`);
			await Promise.resolve();
			signal?.throwIfAborted();
			const page = this.#lists.shift() ?? new Error('no list was expected');
			if (page instanceof Error) throw page;
			return { metadata: { resourceVersion: page.version, continue: page.next ?? '' }, items: page.items } as T;
		},
		lines: (call, signal) => this.#watch(call, signal),
	};

	async *#watch({ path }: KubeCall, signal: AbortSignal): AsyncGenerator<string> {
		this.asked.push(`watch ${path}`);
		const { lines = [], end } = this.#watches.shift() ?? {};
		yield* lines;
		if (end instanceof Error) throw end;
		if (end === 'closes') vi.advanceTimersByTime(60_000);
		if (end !== undefined) return;
		this.quiet.resolve();
		await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
	}

	start(target: ListWatchTarget = TARGET): ListWatch {
		const say = (words: string) => void this.heard.push(words);
		const handler = {
			replaced: (items: readonly Item[], version: string) =>
				say(`all ${items.map(({ name }) => name).join(',')} at ${version}`),
			changed: (changed: Item) => {
				this.onChanged(changed);
				say(`changed ${changed.name}`);
			},
			removed: ({ name }: Item) => say(`removed ${name}`),
			syncChanged: (inSync: boolean, reason: string) => say(inSync ? 'in sync' : `behind: ${reason}`),
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

	/** Versions that were watched from; "list" for each list. */
	get places(): string[] {
		return this.asked.map((path) => /resourceVersion=(\d+)/.exec(path)?.[1] ?? 'list');
	}
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('list, then watch', () => {
	it('the handler gets all that there is, then each change', async () => {
		const lines = [
			event('ADDED', item('b', 11)),
			event('MODIFIED', item('a', 12)),
			event('DELETED', item('b', 13)),
			event('BOOKMARK', item('', 14)),
		];
		const room = new Room([{ items: [item('a', 7)], version: '10' }], [{ lines }]);
		await room.run();
		expect(room.heard).toEqual(['all a at 10', 'in sync', 'changed b', 'changed a', 'removed b']);
	});

	it('asks in pages, for a watch with bookmarks and an end, and only for what is wanted', async () => {
		const room = new Room([{ items: [], version: '10' }], []);
		const { stop } = room.start({ ...TARGET, labelSelector: 'app=x', fieldSelector: 'spec.a=b' });
		await room.quiet.promise;
		stop();
		const selection = '&labelSelector=app%3Dx&fieldSelector=spec.a%3Db';
		expect(room.asked).toEqual([
			`list /things?limit=500${selection}`,
			`watch /things?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=10${selection}`,
		]);
	});

	it('pages are one list', async () => {
		const pages = [
			{ items: [item('a', 1), item('b', 2)], version: '10', next: 'to/ken=' },
			{ items: [item('c', 3)], version: '10' },
		];
		const room = new Room(pages, []);
		await room.run();
		expect(room.heard).toEqual(['all a,b,c at 10', 'in sync']);
		expect(room.asked[1]).toBe('list /things?limit=500&continue=to%2Fken%3D');
	});

	it('a page token that expired: the list begins again, and nothing half is told', async () => {
		const pages = [
			{ items: [item('a', 1)], version: '10', next: 'token' },
			gone(),
			{ items: [item('b', 2)], version: '20' },
		];
		const room = new Room(pages, []);
		await room.run();
		expect(room.heard).toEqual(['behind: too old', 'all b at 20', 'in sync']);
		expect(room.asked[2]).toBe('list /things?limit=500');
	});

	it('a list that fails is asked for again, later and later', async () => {
		const room = new Room([unavailable(), unavailable(), { items: [], version: '10' }], []);
		await room.run();
		expect(room.clock.delaysMs).toEqual([100, 200]);
	});
});

describe('the place to go on from', () => {
	const list = { items: [], version: '10' };

	it.each<{ name: string; lines: string[]; want: string }>([
		{ name: 'nothing came', lines: [], want: '10' },
		{ name: 'a change', lines: [event('ADDED', item('a', 11)), event('MODIFIED', item('a', 15))], want: '15' },
		{ name: 'a removal', lines: [event('DELETED', item('a', 16))], want: '16' },
		{ name: 'a bookmark', lines: [event('ADDED', item('a', 11)), event('BOOKMARK', item('', 99))], want: '99' },
	])('$name, and the watch ends in its time: on from $want, at once', async ({ lines, want }) => {
		const room = new Room([list], [{ lines, end: 'closes' }]);
		await room.run();
		expect(room.places).toEqual(['list', '10', want]);
		expect(room.clock.delaysMs).toEqual([]);
		expect(room.heard.filter((words) => words.startsWith('behind'))).toEqual([]);
	});

	it.each<{ name: string; script: Script; want: string }>([
		{
			name: 'an error event',
			script: { lines: [event('ERROR', { code: 410, reason: 'Expired' })] },
			want: 'the watch of things broke: {"code":410,"reason":"Expired"}',
		},
		{ name: 'an expired version', script: { end: gone() }, want: 'too old' },
		{
			name: 'a line that cannot be read',
			script: { lines: ['{"type":"ADD'] },
			want: 'a line of the watch could not be read',
		},
	])('$name is a gap: a fresh list, after a wait', async ({ script, want }) => {
		const changes = [event('ADDED', item('a', 11)), ...(script.lines ?? [])];
		const room = new Room([list, { items: [item('c', 20)], version: '30' }], [{ ...script, lines: changes }]);
		await room.run();
		expect(room.heard).toEqual(['all  at 10', 'in sync', 'changed a', `behind: ${want}`, 'all c at 30', 'in sync']);
		expect(room.places).toEqual(['list', '10', 'list', '30']);
		expect(room.clock.delaysMs).toEqual([100]);
	});

	it('a fault is no gap: on from the same place, with growing waits; but the third in a row is followed by a list', async () => {
		const room = new Room(
			[list, { items: [], version: '30' }],
			[{ end: unavailable() }, { end: unavailable() }, { end: unavailable() }],
		);
		await room.run();
		expect(room.places).toEqual(['list', '10', '10', '10', 'list', '30']);
		expect(room.clock.delaysMs).toEqual([100, 200, 300]);
	});

	it('an event that came through makes the waits short again', async () => {
		const failing = { end: unavailable() };
		const room = new Room([list], [failing, failing, { lines: [event('ADDED', item('a', 11))], ...failing }]);
		await room.run();
		expect(room.clock.delaysMs).toEqual([100, 200, 100]);
		expect(room.places).toEqual(['list', '10', '10', '10', '11']);
	});

	it('a watch that ends as soon as it has begun is not asked for in a tight loop', async () => {
		const room = new Room([list], [{ end: 'closes at once' }, { end: 'closes at once' }]);
		await room.run();
		expect(room.clock.delaysMs).toEqual([100, 200]);
	});
});

describe('a handler that throws', () => {
	it('gets the change again', async () => {
		const room = new Room(
			[{ items: [], version: '10' }],
			[
				{ lines: [event('ADDED', item('a', 11)), event('ADDED', item('b', 12))] },
				{ lines: [event('ADDED', item('b', 12))] },
			],
		);
		let thrown = false;
		room.onChanged = ({ name }) => {
			if (name !== 'b' || thrown) return;
			thrown = true;
			throw new Error('not now');
		};
		await room.run();
		expect(room.places).toEqual(['list', '10', '11']);
		expect(room.heard.slice(2)).toEqual(['changed a', 'behind: not now', 'in sync', 'changed b']);
	});

	it('again and again gets a fresh list', async () => {
		const poisoned = { lines: [event('ADDED', item('a', 11))] };
		const room = new Room(
			[
				{ items: [], version: '10' },
				{ items: [item('a', 11)], version: '20' },
			],
			[poisoned, poisoned, poisoned],
		);
		room.onChanged = () => {
			throw new Error('never');
		};
		await room.run();
		expect(room.places).toEqual(['list', '10', '10', '10', 'list', '20']);
		expect(room.heard.slice(-2)).toEqual(['all a at 20', 'in sync']);
	});
});

describe('stop', () => {
	it('ends a watch, and says nothing more', async () => {
		const room = new Room([{ items: [], version: '10' }], []);
		const { stop } = room.start();
		await room.quiet.promise;
		stop();
		await turns();
		expect(room.heard).toEqual(['all  at 10', 'in sync']);
		expect(room.places).toEqual(['list', '10']);
	});

	it('ends a wait', async () => {
		const room = new Room([unavailable()], []);
		room.clock.held = true;
		const { stop } = room.start();
		await turns();
		expect(room.clock.delaysMs).toEqual([100]);
		stop();
		await turns();
		expect(room.asked).toHaveLength(1);
	});

	it('in the middle of a list leaves the watch out', async () => {
		const room = new Room([{ items: [], version: '10' }], []);
		const { stop } = room.start();
		stop();
		await turns();
		expect(room.heard).toEqual([]);
		expect(room.places).toEqual(['list']);
		expect(room.clock.delaysMs).toEqual([]);
	});
});

async function turns(): Promise<void> {
	for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}
