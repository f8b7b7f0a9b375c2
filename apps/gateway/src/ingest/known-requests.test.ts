import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { sampleLink } from '../../test/fixtures/sample-signal.ts';
import { RequestCache } from '../objects/request-cache.ts';
import { knownRequests } from './known-requests.ts';

const LINK = sampleLink();
const NEWER = { ...LINK, resourceVersion: '11', count: 2 };

function setUp() {
	const clock = new ManualClock();
	const cache = new RequestCache();
	return { clock, cache, known: knownRequests(cache, clock, 25) };
}

describe('newerThan', () => {
	it.each([
		{ name: 'newer', stored: NEWER, want: NEWER },
		{ name: 'the same', stored: LINK, want: undefined },
		{ name: 'older', stored: { ...LINK, resourceVersion: '9' }, want: undefined },
		{ name: 'of another under the same name', stored: { ...NEWER, uid: 'uid-2' }, want: undefined },
	])('`newerThan` finds a version that is newer and of the same request: $name', ({ stored, want }) => {
		const { cache, known } = setUp();
		cache.changed(stored);
		expect(known.newerThan(LINK)).toEqual(want);
	});
});

describe('awaitNewer', () => {
	it('awaitNewer ends at once when the cache has a newer version', async () => {
		const { cache, clock, known } = setUp();
		cache.changed(NEWER);
		expect(await known.awaitNewer(LINK)).toEqual(NEWER);
		expect(clock.pending).toBe(0);
	});

	it('awaitNewer ends when the watch reports a newer version', async () => {
		const { cache, clock, known } = setUp();
		const awaited = known.awaitNewer(LINK);
		cache.changed(NEWER);
		expect(await awaited).toEqual(NEWER);
		expect(clock.pending).toBe(0);
	});

	it('awaitNewer ends without a version when the time is up', async () => {
		const { clock, known } = setUp();
		const awaited = known.awaitNewer(LINK);
		clock.advance(25);
		expect(await awaited).toBeUndefined();
	});

	it('awaitNewer ends without a version when the request is removed', async () => {
		const { cache, clock, known } = setUp();
		cache.changed(LINK);
		const awaited = known.awaitNewer(LINK);
		cache.removed(LINK);
		expect(await awaited).toBeUndefined();
		expect(clock.pending).toBe(0);
	});
});
