import { describe, expect, it } from 'vitest';
import { anExecution, TARGET } from '../../test/harness/made-up.ts';
import { type Execution, executionName, newestOf } from '../objects/execution.ts';
import { addExecution, type ExecutionChainStore, findOurs } from './execution-chain.ts';

/** The chain's part of the API server: names are unique, patches compare versions, a list is what is there. */
class Stored implements ExecutionChainStore {
	readonly items = new Map<string, Execution>();
	readonly calls: string[] = [];
	version = 100;
	/** Another client, at work before a call of ours. */
	before: (call: string) => void = () => {};
	#requestUid: string;

	constructor(requestUid = 'ours') {
		this.#requestUid = requestUid;
	}

	#called(call: string): void {
		this.calls.push(call);
		this.before(call);
	}

	/** As another writer would. */
	put(changes: Partial<Execution>): Execution {
		const resourceVersion = String(++this.version);
		const uid = `uid-${resourceVersion}`;
		const execution = anExecution({ uid, ...changes, resourceVersion });
		this.items.set(execution.name, execution);
		return execution;
	}

	/** So many that ended, the newest last. */
	chain(length: number, last: Partial<Execution> = {}): Execution[] {
		const links: Execution[] = [];
		for (let chain = 0; chain < length; chain++) {
			const name = executionName(TARGET, links.at(-1)?.uid);
			const before = links.at(-1);
			if (before !== undefined) links[chain - 1] = this.put({ ...before, successor: name });
			links.push(this.put({ name, chain, phase: 'Completed', ...(chain === length - 1 ? last : {}) }));
		}
		return links;
	}

	async create(name: string, chain: number) {
		this.#called(`create ${chain}`);
		if (this.items.has(name)) return 'exists' as const;
		return this.put({ name, chain, requestUid: this.#requestUid });
	}

	async get(name: string) {
		this.#called('get');
		return this.items.get(name);
	}

	async list() {
		this.#called('list');
		return [...this.items.values()];
	}

	async setSuccessor(execution: Execution, successor: string) {
		this.#called(`announce after ${execution.chain}`);
		const stored = this.items.get(execution.name);
		if (stored?.uid !== execution.uid) return 'gone' as const;
		if (stored.resourceVersion !== execution.resourceVersion) return 'changed' as const;
		return this.put({ ...stored, successor });
	}
}
const addOnce = (store: Stored, view: Execution | undefined, requestUid = 'ours') =>
	addExecution(store, { target: TARGET, requestUid, view, beforeWrite() {} });
/** As a caller whose decision is the same after every step forward. */
async function add(store: Stored, view: Execution | undefined, requestUid = 'ours') {
	let added = await addOnce(store, view, requestUid);
	while (added.outcome === 'moved') added = await addOnce(store, added.newest, requestUid);
	return added;
}
const active = (store: Stored) => [...store.items.values()].filter(({ phase }) => phase === undefined);

describe('adding an execution', () => {
	it('the first link of a chain is one write', async () => {
		const store = new Stored();
		const { outcome, execution } = await add(store, undefined);
		expect(outcome).toBe('created');
		expect(execution).toMatchObject({ name: executionName(TARGET, undefined), chain: 0 });
		expect(store.calls).toEqual(['create 0']);
	});

	it('the next link is announced on the one before, then created', async () => {
		const store = new Stored();
		const last = store.chain(3).at(-1);
		const { outcome, execution } = await add(store, last);
		expect({ outcome, chain: execution.chain }).toEqual({ outcome: 'created', chain: 3 });
		expect(execution.name).toBe(executionName(TARGET, last?.uid));
		expect(store.items.get(last?.name ?? '')?.successor).toBe(execution.name);
		expect(store.calls).toEqual(['announce after 2', 'create 3']);
	});

	it('a link that was announced before a crash is not announced again', async () => {
		const store = new Stored();
		const [last] = store.chain(1);
		const announced = store.put({ ...(last as Execution), successor: executionName(TARGET, last?.uid) });
		expect((await add(store, announced)).outcome).toBe('created');
		expect(store.calls).toEqual(['create 1']);
	});

	it.each([0, 1, 2, 3, 4])('from a view that is %i links old, walks forward to the present', async (old) => {
		const store = new Stored();
		const links = store.chain(4);
		const { outcome, execution } = await add(store, links[3 - old]);
		expect({ outcome, chain: execution.chain }).toEqual({ outcome: 'created', chain: 4 });
		expect(active(store)).toHaveLength(1);
	});

	it.each([1, 2, 3, 4])(
		'from a view that is %i links old, nothing is added: the caller must decide anew',
		async (old) => {
			const store = new Stored();
			const links = store.chain(4);
			expect(await addOnce(store, links[3 - old])).toEqual({ outcome: 'moved', newest: links[4 - old] });
			expect(active(store)).toEqual([]);
		},
	);

	it.each([
		{ why: 'not begun', last: {}, want: 'adopted' },
		{ why: 'completed', last: { phase: 'Completed' as const }, want: 'adopted' },
		{ why: 'failed', last: { phase: 'Failed' as const }, want: 'adopted' },
		{ why: 'skipped', last: { phase: 'Skipped' as const }, want: 'created' },
	])('an execution of the same request that is $why: $want, from any view', async ({ last, want }) => {
		for (const old of [0, 1, 2]) {
			const store = new Stored();
			const links = store.chain(2, { requestUid: 'ours', phase: undefined, ...last });
			expect((await add(store, links[1 - old])).outcome).toBe(want);
		}
	});

	it.each([
		{ why: 'has not ended', last: { phase: undefined } },
		{ why: 'ended and is being deleted', last: { deleting: true } },
	])('an execution of another request that $why makes the target busy, from any view', async ({ last }) => {
		for (const old of [0, 1, 2]) {
			const store = new Stored();
			const links = store.chain(2, last);
			const { outcome, execution } = await add(store, links[1 - old]);
			expect({ outcome, name: execution.name }).toEqual({ outcome: 'busy', name: links[1]?.name });
		}
	});

	it('an execution that ended, is being deleted and announces the next one does not hold the target: that one is made', async () => {
		const store = new Stored();
		const [last] = store.chain(1);
		const successor = executionName(TARGET, last?.uid);
		const announced = store.put({ ...(last as Execution), successor, deleting: true });
		const { outcome, execution } = await add(store, announced);
		expect({ outcome, name: execution.name }).toEqual({ outcome: 'created', name: successor });
		expect(store.calls).toEqual(['create 1']);
	});

	it('of two callers with the same view one creates it, and the other finds the target busy', async () => {
		const store = new Stored();
		const [view] = store.chain(1);
		const results = await Promise.all([add(store, view, 'ours'), add(store, view, 'theirs')]);
		expect(results.map(({ outcome }) => outcome).toSorted()).toEqual(['busy', 'created']);
		expect(active(store)).toHaveLength(1);
	});

	it('from a link that is gone, the newest link is found by a list', async () => {
		const store = new Stored();
		const links = store.chain(3);
		store.items.delete(links[1]?.name ?? '');
		const { outcome, execution } = await add(store, { ...(links[1] as Execution), successor: undefined });
		expect({ outcome, chain: execution.chain }).toEqual({ outcome: 'created', chain: 3 });
		expect(store.calls).toContain('list');
	});

	it('a chain that is all gone begins anew', async () => {
		const store = new Stored();
		const [link] = store.chain(1);
		store.items.clear();
		expect((await add(store, link)).execution.chain).toBe(0);
	});

	it('a link that changed meanwhile is read again', async () => {
		const store = new Stored();
		const [link] = store.chain(1);
		store.put({ ...(link as Execution) });
		expect((await add(store, link)).outcome).toBe('created');
		expect(store.calls).toEqual(['announce after 0', 'get', 'announce after 0', 'create 1']);
	});

	it('a link that vanishes between the create and the read is passed over', async () => {
		const store = new Stored();
		store.put({ name: executionName(TARGET, undefined), chain: 0 });
		store.before = (call) => {
			if (call === 'get') store.items.clear();
		};
		expect((await add(store, undefined)).outcome).toBe('created');
	});

	it('calls beforeWrite before each write, and stops when it throws', async () => {
		const store = new Stored();
		const [view] = store.chain(1);
		const refuse = (allowed: number) => () => {
			if (allowed-- === 0) throw new Error('lost');
		};
		for (const allowed of [0, 1]) {
			const place = { target: TARGET, requestUid: 'ours', view, beforeWrite: refuse(allowed) };
			await expect(addExecution(store, place)).rejects.toThrow('lost');
		}
		expect(active(store)).toEqual([]);
	});
});

describe('findOurs', () => {
	it.each([0, 1, 2, 3])('finds it from a view that is %i links old', async (old) => {
		const store = new Stored();
		const links = store.chain(3, { requestUid: 'ours' });
		const found = await findOurs(store, { target: TARGET, requestUid: 'ours', view: links[2 - old] });
		expect(found?.name).toBe(links[2]?.name);
	});

	it.each([
		{ why: 'nothing is there', make: () => [] },
		{ why: 'only others ended', make: (store: Stored) => store.chain(2) },
		{ why: 'another execution holds the target', make: (store: Stored) => store.chain(2, { phase: undefined }) },
		{ why: 'ours was skipped', make: (store: Stored) => store.chain(2, { requestUid: 'ours', phase: 'Skipped' }) },
	])('finds none when $why', async ({ make }) => {
		const store = new Stored();
		const links = make(store);
		for (const view of [undefined, ...links])
			expect(await findOurs(store, { target: TARGET, requestUid: 'ours', view })).toBeUndefined();
	});
});

describe('findOurs, from a view in which another execution still holds the target', () => {
	const stale = (link: Execution | undefined) => ({ ...(link as Execution), phase: 'Running' as const });

	it('finds ours after the one that ended meanwhile', async () => {
		const store = new Stored();
		const links = store.chain(3, { requestUid: 'ours' });
		const found = await findOurs(store, { target: TARGET, requestUid: 'ours', view: stale(links[1]) });
		expect(found?.name).toBe(links[2]?.name);
	});

	it('finds ours after one that is gone', async () => {
		const store = new Stored();
		const links = store.chain(3, { requestUid: 'ours' });
		store.items.delete(links[1]?.name ?? '');
		const found = await findOurs(store, { target: TARGET, requestUid: 'ours', view: stale(links[1]) });
		expect(found?.name).toBe(links[2]?.name);
	});

	it('finds none when that is still true, with one read', async () => {
		const store = new Stored();
		const links = store.chain(2, { phase: 'Running' });
		expect(await findOurs(store, { target: TARGET, requestUid: 'ours', view: links[1] })).toBeUndefined();
		expect(store.calls).toEqual(['get']);
	});
});

describe('in any order of many at once', () => {
	// Steps of all are mixed by a sequence that the seed gives; each adds, ends what it added, and another goes on.
	it.each(Array.from({ length: 40 }, (_, seed) => seed))(
		'never two are active, and each has one (%i)',
		async (seed) => {
			let state = seed * 2654435761 + 1;
			const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) | 0) >>> 0) / 2 ** 32;
			const store = new Stored();
			const views: (Execution | undefined)[] = [undefined];
			const made: string[] = [];
			async function one(requestUid: string): Promise<void> {
				for (let tries = 0; tries < 200; tries++) {
					const mine: ExecutionChainStore = {
						create: async (name, chain) => {
							await mixed(random);
							if (store.items.has(name)) return 'exists';
							expect(active(store)).toEqual([]);
							made.push(requestUid);
							return store.put({ name, chain, requestUid });
						},
						get: async (name) => (await mixed(random), store.get(name)),
						list: async () => (await mixed(random), store.list()),
						setSuccessor: async (execution, name) => (await mixed(random), store.setSuccessor(execution, name)),
					};
					const fresh = newestOf(store.items.values());
					const view = random() < 0.5 ? fresh : views[Math.floor(random() * views.length)];
					const added = await addExecution(mine, { target: TARGET, requestUid, view, beforeWrite() {} });
					views.push(added.outcome === 'moved' ? added.newest : added.execution);
					await mixed(random);
					if (added.outcome === 'moved' || added.outcome === 'busy') continue;
					const { outcome, execution } = added;
					// It crashes sometimes, before it takes note: the next time it must find its own.
					if (outcome === 'created' && random() < 0.3) continue;
					store.put({ ...(store.items.get(execution.name) as Execution), phase: 'Completed' });
					return;
				}
				throw new Error(`${requestUid} was never executed`);
			}
			const requests = ['a', 'b', 'c', 'd'];
			await Promise.all(requests.map(one));
			expect(made.toSorted()).toEqual(requests);
		},
	);
});

async function mixed(random: () => number): Promise<void> {
	for (let turns = Math.floor(random() * 4); turns > 0; turns--) await Promise.resolve();
}
