import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startProgress } from './progress.mjs';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function collector(terminal?: { columns: number }) {
	let text = '';
	return {
		...(terminal ? { isTTY: true, columns: terminal.columns } : {}),
		write: (chunk: string) => void (text += chunk),
		text: () => text,
	};
}

it('says nothing of what is done in a moment', () => {
	const stream = collector();
	const progress = startProgress('Building', stream);
	vi.advanceTimersByTime(1_900);
	progress.stop('done');
	vi.advanceTimersByTime(60_000);
	expect(stream.text()).toBe('');
});

it('a log gets a line now and then: what is being done, for how long, and how it ended', () => {
	const stream = collector();
	const progress = startProgress('Building', stream);
	vi.advanceTimersByTime(2_000);
	progress.update('12 packages compiled');
	vi.advanceTimersByTime(30_000);
	progress.stop('done');
	progress.stop('interrupted'); // the first end counts
	expect(stream.text().split('\n')).toEqual([
		'Building (2 s)',
		'Building: 12 packages compiled (17 s)',
		'Building: 12 packages compiled (32 s)',
		'Building: done (32 s)',
		'',
	]);
	vi.advanceTimersByTime(60_000);
	expect(stream.text()).toMatch(/done \(32 s\)\n$/);
});

it('rewrites one line of a terminal, and never a wider one than fits', () => {
	const stream = collector({ columns: 20 });
	const progress = startProgress('Building', stream);
	vi.advanceTimersByTime(2_000);
	progress.update('a package with a long name');
	vi.advanceTimersByTime(1_000);
	progress.stop('done');
	const [first, second, last] = stream.text().split('\r\x1b[K').slice(1);
	expect(first).toBe('Building (2 s)');
	expect(second).toBe('Building: a package');
	expect(last).toBe('Building: done (3 s)\n');
});

it('lets a wait inside a wait speak alone, and goes on after it', () => {
	const stream = collector();
	const outer = startProgress('Starting', stream);
	const inner = startProgress('Building', stream);
	vi.advanceTimersByTime(17_000);
	inner.stop('done');
	vi.advanceTimersByTime(15_000);
	outer.stop('done');
	expect(stream.text().split('\n')).toEqual([
		'Building (2 s)',
		'Building (17 s)',
		'Building: done (17 s)',
		'Starting (32 s)',
		'Starting: done (32 s)',
		'',
	]);
});
