import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eitherAborted, orAborted } from './abort.ts';

describe('orAborted', () => {
	it('is what the promise is, and leaves no listener', async () => {
		const { signal } = new AbortController();
		expect(await orAborted(Promise.resolve(7), signal)).toBe(7);
		await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('ends with the reason of the abort, however long the promise takes', async () => {
		const controller = new AbortController();
		const waiting = orAborted(new Promise(() => undefined), controller.signal);
		controller.abort(new Error('gone'));
		await expect(waiting).rejects.toThrow('gone');
	});

	it('ends at once when the abort came before', async () => {
		await expect(orAborted(new Promise(() => undefined), AbortSignal.abort(new Error('before')))).rejects.toThrow(
			'before',
		);
	});

	it('a promise that fails after the abort is nobody’s rejection', async () => {
		const controller = new AbortController();
		const late = Promise.withResolvers<never>();
		const waiting = orAborted(late.promise, controller.signal);
		controller.abort(new Error('gone'));
		late.reject(new Error('late'));
		await expect(waiting).rejects.toThrow('gone');
	});
});

function sourcesAndEither(abortedBefore?: 0 | 1) {
	const sources = [new AbortController(), new AbortController()] as const;
	if (abortedBefore !== undefined) sources[abortedBefore].abort(`reason ${abortedBefore}`);
	return { sources, ...eitherAborted(sources[0].signal, sources[1].signal) };
}

describe('either of two signals', () => {
	it.each([0, 1] as const)('aborts with %i, and its reason', (which) => {
		const { sources, signal } = sourcesAndEither();
		expect(signal.aborted).toBe(false);
		sources[which].abort(`reason ${which}`);
		expect(signal.reason).toBe(`reason ${which}`);
	});

	it.each([0, 1] as const)('is aborted when %i was before', (which) => {
		expect(sourcesAndEither(which).signal.reason).toBe(`reason ${which}`);
	});

	it('keeps nothing on its sources when it is done', () => {
		const { sources, forget } = sourcesAndEither();
		forget();
		for (const { signal } of sources) expect(getEventListeners(signal, 'abort')).toEqual([]);
	});
});
