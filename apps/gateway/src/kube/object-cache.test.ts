import { describe, expect, it } from 'vitest';
import { ObjectCache, type Versioned } from './object-cache.ts';

type Item = Versioned & { readonly group: string | undefined };
const item = (name: string, resourceVersion: number, changes: Partial<Item> = {}): Item => ({
	name,
	uid: `uid-of-${name}`,
	resourceVersion: String(resourceVersion),
	group: 'g',
	...changes,
});

function aCache() {
	const changes: string[] = [];
	const cache = new ObjectCache<Item, 'group'>({ group: ({ group }) => group }, ({ name, resourceVersion }) =>
		changes.push(`${name}@${resourceVersion}`),
	);
	const names = (group: string) => cache.by('group', group).map(({ name }) => name);
	return { cache, changes, names };
}

describe('an object cache', () => {
	it('finds objects by name and by index, and reports each change', () => {
		const { cache, changes, names } = aCache();
		cache.changed(item('a', 1));
		cache.changed(item('b', 2));
		cache.changed(item('c', 3, { group: undefined }));
		expect(names('g')).toEqual(['a', 'b']);
		expect(names('none')).toEqual([]);
		expect(cache.get('c')?.resourceVersion).toBe('3');
		expect([...cache.all()].map(({ name }) => name)).toEqual(['a', 'b', 'c']);
		expect(cache.size).toBe(3);
		expect(changes).toEqual(['a@1', 'b@2', 'c@3']);
	});

	it('an object whose key changed moves to its new bucket', () => {
		const { cache, names } = aCache();
		cache.changed(item('a', 1));
		cache.changed(item('a', 2, { group: 'h' }));
		expect(names('g')).toEqual([]);
		expect(names('h')).toEqual(['a']);
	});

	it('an older or equal version changes nothing, and versions are compared as numbers', () => {
		const { cache, changes } = aCache();
		cache.changed(item('a', 10));
		cache.changed(item('a', 9));
		cache.changed(item('a', 10));
		expect(cache.get('a')?.resourceVersion).toBe('10');
		expect(changes).toEqual(['a@10']);
		cache.changed(item('a', 11));
		expect(changes).toEqual(['a@10', 'a@11']);
	});

	it('a change is reported with the version that was known, a new or removed object without', () => {
		const changes: string[] = [];
		const cache = new ObjectCache<Item>({}, (now, before) =>
			changes.push(`${before?.resourceVersion} → ${now.resourceVersion}`),
		);
		cache.changed(item('a', 1));
		cache.changed(item('a', 2));
		cache.removed(item('a', 3));
		expect(changes).toEqual(['undefined → 1', '1 → 2', 'undefined → 2']);
	});

	it('a removed object is gone, and reported once', () => {
		const { cache, changes, names } = aCache();
		cache.changed(item('a', 1));
		cache.removed(item('a', 2));
		cache.removed(item('a', 2));
		expect(cache.get('a')).toBeUndefined();
		expect(names('g')).toEqual([]);
		expect(changes).toEqual(['a@1', 'a@1']);
	});

	it('the removal of an older object leaves a newer one of the same name', () => {
		const { cache } = aCache();
		cache.changed(item('a', 5, { uid: 'second' }));
		cache.removed(item('a', 3, { uid: 'first' }));
		expect(cache.get('a')?.uid).toBe('second');
	});

	it('a late answer does not bring back a removed object', () => {
		const { cache, names } = aCache();
		cache.changed(item('a', 1));
		cache.removed(item('a', 3));
		cache.changed(item('a', 2));
		cache.changed(item('a', 3));
		expect(cache.get('a')).toBeUndefined();
		expect(names('g')).toEqual([]);
		cache.changed(item('a', 4, { uid: 'made again' }));
		expect(cache.get('a')?.uid).toBe('made again');
	});
});

describe('a fresh list', () => {
	it('brings back removed objects: a backup was restored', () => {
		const { cache } = aCache();
		cache.changed(item('a', 1));
		cache.removed(item('a', 3));
		cache.replaceAll([item('a', 1)], '2');
		expect(cache.get('a')?.resourceVersion).toBe('1');
	});

	it('removes objects that it lacks, takes newer versions, and reports each change', () => {
		const { cache, changes, names } = aCache();
		for (const [name, version] of Object.entries({ a: 1, b: 2, c: 3 })) cache.changed(item(name, version));
		changes.length = 0;
		cache.replaceAll([item('b', 2), item('c', 7, { group: 'h' }), item('d', 8)], '9');
		expect(names('g')).toEqual(['b', 'd']);
		expect(names('h')).toEqual(['c']);
		expect(changes).toEqual(['a@1', 'c@7', 'd@8']);
	});

	it('has the truth about objects that it holds in an older version than the one known: a backup was restored', () => {
		const { cache, changes, names } = aCache();
		cache.changed(item('a', 8));
		cache.changed(item('b', 9, { group: 'h' }));
		changes.length = 0;
		cache.replaceAll([item('a', 3), item('b', 4)], '20'); // the versions went on behind the backup
		expect(cache.get('a')?.resourceVersion).toBe('3');
		expect(names('g')).toEqual(['a', 'b']);
		expect(names('h')).toEqual([]);
		expect(changes).toEqual(['a@3', 'b@4']);
	});

	it('reports that an object is gone when the backup holds another one of its name', () => {
		const { cache, changes } = aCache();
		const gone: (string | undefined)[] = [];
		const watching = new ObjectCache<Item>({}, ({ uid, name }) =>
			gone.push(watching.get(name)?.uid === uid ? undefined : uid),
		);
		for (const one of [cache, watching]) one.changed(item('a', 9, { uid: 'later' }));
		changes.length = 0;
		for (const one of [cache, watching]) one.replaceAll([item('a', 3, { uid: 'earlier' })], '20');
		expect(changes).toEqual(['a@9', 'a@3']);
		expect(gone).toEqual([undefined, 'later', undefined]);
	});

	it('that is older than all before leaves nothing that it lacks', () => {
		const { cache, names } = aCache();
		cache.changed(item('a', 80));
		cache.changed(item('b', 90));
		cache.replaceAll([item('a', 3)], '20', true);
		expect(names('g')).toEqual(['a']);
		expect(cache.get('a')?.resourceVersion).toBe('3');
		cache.changed(item('a', 21));
		expect(cache.get('a')?.resourceVersion).toBe('21');
	});

	it('that our own write overtook does not undo it', () => {
		const { cache } = aCache();
		cache.changed(item('a', 12));
		cache.replaceAll([item('a', 3)], '10');
		expect(cache.get('a')?.resourceVersion).toBe('12');
	});

	it('leaves objects that were created after it', () => {
		const { cache } = aCache();
		cache.changed(item('mine', 12));
		cache.replaceAll([item('old', 3)], '10');
		expect(cache.get('mine')?.resourceVersion).toBe('12');
		cache.replaceAll([item('old', 3)], '12');
		expect(cache.get('mine')).toBeUndefined();
	});
});
