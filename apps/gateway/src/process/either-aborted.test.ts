import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eitherAborted } from './either-aborted.ts';

function room(abortedBefore?: 0 | 1) {
	const sources = [new AbortController(), new AbortController()] as const;
	if (abortedBefore !== undefined) sources[abortedBefore].abort(`reason ${abortedBefore}`);
	return { sources, ...eitherAborted(sources[0].signal, sources[1].signal) };
}

describe('either of two signals', () => {
	it.each([0, 1] as const)('aborts with %i, and its reason', (which) => {
		const { sources, signal } = room();
		expect(signal.aborted).toBe(false);
		sources[which].abort(`reason ${which}`);
		expect(signal.reason).toBe(`reason ${which}`);
	});

	it.each([0, 1] as const)('is aborted when %i was before', (which) => {
		expect(room(which).signal.reason).toBe(`reason ${which}`);
	});

	it('keeps nothing on its sources when it is done', () => {
		const { sources, forget } = room();
		forget();
		for (const { signal } of sources) expect(getEventListeners(signal, 'abort')).toEqual([]);
	});
});
