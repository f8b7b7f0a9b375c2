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
	const told: string[] = [];
	const cache = new ObjectCache<Item, 'group'>({ group: ({ group }) => group }, ({ name, resourceVersion }) =>
		told.push(`${name}@${resourceVersion}`),
	);
	const names = (group: string) => cache.by('group', group).map(({ name }) => name);
	return { cache, told, names };
}

describe('a cache', () => {
	it('finds what was told by name and by index, and tells of it', () => {
		const { cache, told, names } = aCache();
		cache.changed(item('a', 1));
		cache.changed(item('b', 2));
		cache.changed(item('c', 3, { group: undefined }));
		expect(names('g')).toEqual(['a', 'b']);
		expect(names('none')).toEqual([]);
		expect(cache.get('c')?.resourceVersion).toBe('3');
		expect([...cache.all()].map(({ name }) => name)).toEqual(['a', 'b', 'c']);
		expect(cache.size).toBe(3);
		expect(told).toEqual(['a@1', 'b@2', 'c@3']);
	});

	it('moves what changed its index', () => {
		const { cache, names } = aCache();
		cache.changed(item('a', 1));
		cache.changed(item('a', 2, { group: 'h' }));
		expect(names('g')).toEqual([]);
		expect(names('h')).toEqual(['a']);
	});

	it('ignores an older version and the same again, and compares versions as numbers', () => {
		const { cache, told } = aCache();
		cache.changed(item('a', 10));
		cache.changed(item('a', 9));
		cache.changed(item('a', 10));
		expect(cache.get('a')?.resourceVersion).toBe('10');
		expect(told).toEqual(['a@10']);
		cache.changed(item('a', 11));
		expect(told).toEqual(['a@10', 'a@11']);
	});

	it('forgets what is gone, and tells of it once', () => {
		const { cache, told, names } = aCache();
		cache.changed(item('a', 1));
		cache.removed(item('a', 2));
		cache.removed(item('a', 2));
		expect(cache.get('a')).toBeUndefined();
		expect(names('g')).toEqual([]);
		expect(told).toEqual(['a@1', 'a@1']);
	});

	it('keeps a newer one of the same name when an older one is gone', () => {
		const { cache } = aCache();
		cache.changed(item('a', 5, { uid: 'second' }));
		cache.removed(item('a', 3, { uid: 'first' }));
		expect(cache.get('a')?.uid).toBe('second');
	});

	it('does not bring back what is gone when an answer about it comes late', () => {
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
	it('brings back what was gone: a backup was restored', () => {
		const { cache } = aCache();
		cache.changed(item('a', 1));
		cache.removed(item('a', 3));
		cache.replaceAll([item('a', 1)], '2');
		expect(cache.get('a')?.resourceVersion).toBe('1');
	});

	it('replaces: what it lacks is gone, what it has newer is changed, and each is told', () => {
		const { cache, told, names } = aCache();
		for (const [name, version] of Object.entries({ a: 1, b: 2, c: 3 })) cache.changed(item(name, version));
		told.length = 0;
		cache.replaceAll([item('b', 2), item('c', 7, { group: 'h' }), item('d', 8)], '9');
		expect(names('g')).toEqual(['b', 'd']);
		expect(names('h')).toEqual(['c']);
		expect(told).toEqual(['a@1', 'c@7', 'd@8']);
	});

	it('leaves what was made after it', () => {
		const { cache } = aCache();
		cache.changed(item('mine', 12));
		cache.replaceAll([item('old', 3)], '10');
		expect(cache.get('mine')?.resourceVersion).toBe('12');
		cache.replaceAll([item('old', 3)], '12');
		expect(cache.get('mine')).toBeUndefined();
	});
});
