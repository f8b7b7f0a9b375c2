import { describe, expect, it } from 'vitest';
import { allOf } from './all-observers.ts';

describe('allOf', () => {
	it('passes every event with all its arguments to every observer, in order', () => {
		const seen: unknown[] = [];
		const observer = (name: string) => ({
			began: (key: string) => void seen.push([name, 'began', key]),
			ended: (key: string, ms: number) => void seen.push([name, 'ended', key, ms]),
		});
		const all = allOf(observer('log'), observer('metrics'));
		all.began('a');
		all.ended('a', 7);
		expect(seen).toEqual([
			['log', 'began', 'a'],
			['metrics', 'began', 'a'],
			['log', 'ended', 'a', 7],
			['metrics', 'ended', 'a', 7],
		]);
	});
});
