import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { eitherAborted, orAborted } from './abort.ts';

describe('orAborted', () => {
	it('settles like the promise, and leaves no listener', async () => {
		const { signal } = new AbortController();
		expect(await orAborted(Promise.resolve(7), signal)).toBe(7);
		await expect(orAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('rejects with the reason of the abort while the promise is pending', async () => {
		const controller = new AbortController();
		const waiting = orAborted(new Promise(() => undefined), controller.signal);
		controller.abort(new Error('gone'));
		await expect(waiting).rejects.toThrow('gone');
	});

	it('rejects at once when the signal was aborted before', async () => {
		await expect(orAborted(new Promise(() => undefined), AbortSignal.abort(new Error('before')))).rejects.toThrow(
			'before',
		);
	});

	it('a promise that rejects after the abort causes no unhandled rejection', async () => {
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

describe('eitherAborted', () => {
	it.each([0, 1] as const)('aborts when source %i aborts, with its reason', (which) => {
		const { sources, signal } = sourcesAndEither();
		expect(signal.aborted).toBe(false);
		sources[which].abort(`reason ${which}`);
		expect(signal.reason).toBe(`reason ${which}`);
	});

	it.each([0, 1] as const)('is aborted from the start when source %i was aborted before', (which) => {
		expect(sourcesAndEither(which).signal.reason).toBe(`reason ${which}`);
	});

	it('leaves no listener on its sources after forget()', () => {
		const { sources, forget } = sourcesAndEither();
		forget();
		for (const { signal } of sources) expect(getEventListeners(signal, 'abort')).toEqual([]);
	});
});
