import { describe, expect, it } from 'vitest';
import { FINGERPRINT, sampleLink } from '../../test/fixtures/sample-signal.ts';
import { RequestCache } from './request-cache.ts';
import type { RequestLink } from './request-link.ts';

function link(name: string, chain: number, resourceVersion: number, more: Partial<RequestLink> = {}): RequestLink {
	const fields = { name, uid: `${name}-uid`, resourceVersion: String(resourceVersion), chain, terminal: true };
	return sampleLink({ ...fields, ...more });
}
const active = { terminal: false };

function cacheOf(...links: readonly RequestLink[]): RequestCache {
	const cache = new RequestCache();
	for (const each of links) cache.changed(each);
	return cache;
}

describe('versions', () => {
	it('the newest link is the highest of its fingerprint, finished ones included', () => {
		const cache = cacheOf(link('a', 0, 5), link('b', 1, 3), link('x', 7, 4, { fingerprint: 'f2' }));
		expect(cache.newest(FINGERPRINT)?.name).toBe('b');
		expect(cache.newest('f2')?.name).toBe('x');
		expect(cache.newest('f3')).toBeUndefined();
	});

	it('versions are compared as numbers: 10 is newer than 9', () => {
		const cache = cacheOf(link('a', 0, 9), link('a', 0, 10, { base: 2 }));
		expect(cache.newest(FINGERPRINT)?.base).toBe(2);
	});

	it('an older version that arrives late changes nothing', () => {
		const cache = cacheOf(link('a', 0, 10), link('a', 0, 9, active));
		expect(cache.newest(FINGERPRINT)).toMatchObject({ resourceVersion: '10', terminal: true });
	});

	it('when the highest link is removed, the one below is the newest', () => {
		const cache = cacheOf(link('a', 0, 5), link('b', 1, 6));
		cache.removed(link('b', 1, 8));
		expect(cache.newest(FINGERPRINT)?.name).toBe('a');
	});

	it('a removal that arrives late leaves a newer object of the same name', () => {
		const cache = cacheOf(link('a', 0, 12, active));
		cache.removed(link('a', 0, 11));
		expect(cache.newest(FINGERPRINT)?.resourceVersion).toBe('12');
	});

	it('of two active links (a fork) the higher is the newest, whichever was written last', () => {
		const cache = cacheOf(link('b', 1, 6, active), link('a', 0, 5, active));
		cache.changed(link('a', 0, 9, { ...active, base: 2 }));
		expect(cache.newest(FINGERPRINT)?.name).toBe('b');
	});

	it('nothing is kept of a fingerprint whose links are all removed', () => {
		const cache = cacheOf(link('a', 0, 5), link('b', 1, 6));
		cache.removed(link('a', 0, 7));
		cache.removed(link('b', 1, 8));
		cache.removed(link('b', 1, 8));
		expect(cache.size).toBe(0);
	});
});

describe('a fresh list', () => {
	it('a fresh list removes the links that it lacks', () => {
		const cache = cacheOf(link('a', 0, 5), link('b', 1, 6), link('x', 0, 7, { fingerprint: 'f2' }));
		cache.replaceAll([link('b', 1, 9, { successor: 'c' })], '20');
		expect(cache.newest(FINGERPRINT)).toMatchObject({ name: 'b', successor: 'c' });
		expect(cache.size).toBe(1);
	});

	it('a fresh list leaves links that are newer than itself', () => {
		const cache = cacheOf(link('a', 0, 21, active), link('b', 1, 30));
		cache.replaceAll([link('b', 1, 19)], '20');
		expect(cache.size).toBe(2);
		expect(cache.newest(FINGERPRINT)?.resourceVersion).toBe('30');
	});
});

describe('a chain that was removed and began again at 0', () => {
	const old = [link('a0', 0, 5), link('a1', 1, 6), link('a2', 2, 7)];

	it('an active link removes links that are higher and older: their chain is gone', () => {
		const cache = cacheOf(...old, link('b0', 0, 20, active));
		expect(cache.newest(FINGERPRINT)?.name).toBe('b0');
	});

	it('late events of a removed chain do not bring it back', () => {
		const cache = cacheOf(link('b0', 0, 20, active), ...old);
		expect(cache.newest(FINGERPRINT)?.name).toBe('b0');
	});

	it('of two links with the same number the active one is the newest', () => {
		const cache = cacheOf(link('a1', 1, 6), link('b1', 1, 20, active));
		expect(cache.newest(FINGERPRINT)?.name).toBe('b1');
	});

	it('a finished link that is written to does not remove its successor', () => {
		const cache = cacheOf(link('a0', 0, 5), link('a1', 1, 6, active), link('a0', 0, 9));
		expect(cache.newest(FINGERPRINT)?.name).toBe('a1');
	});

	it('an active link does not remove a higher one that is newer', () => {
		const cache = cacheOf(link('a1', 1, 6, active), link('a0', 0, 5, active));
		expect(cache.newest(FINGERPRINT)?.name).toBe('a1');
		expect(cache.size).toBe(2);
	});
});

describe('listeners', () => {
	it('listeners are notified of changes of their fingerprint until they unsubscribe', () => {
		const cache = new RequestCache();
		let notified = 0;
		const leave = cache.onChange(FINGERPRINT, () => notified++);
		cache.changed(link('a', 0, 5, active));
		cache.changed(link('a', 0, 5, active));
		cache.changed(link('x', 0, 6, { fingerprint: 'f2' }));
		expect(notified).toBe(1);
		cache.removed(link('a', 0, 7));
		expect(notified).toBe(2);
		leave();
		cache.changed(link('b', 0, 8));
		expect(notified).toBe(2);
	});

	it('a listener may unsubscribe while it is notified, and the others are notified too', () => {
		const cache = new RequestCache();
		const notified: string[] = [];
		const leave = cache.onChange(FINGERPRINT, () => {
			notified.push('first');
			leave();
		});
		cache.onChange(FINGERPRINT, () => notified.push('second'));
		cache.changed(link('a', 0, 5));
		cache.changed(link('a', 0, 6));
		expect(notified).toEqual(['first', 'second', 'second']);
	});
});
