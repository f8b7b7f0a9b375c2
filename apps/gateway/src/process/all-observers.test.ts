import { describe, expect, it } from 'vitest';
import { allOf } from './all-observers.ts';

describe('allOf', () => {
	it('tells every observer every event, in order, with all that it says', () => {
		const told: unknown[] = [];
		const observer = (name: string) => ({
			began: (key: string) => void told.push([name, 'began', key]),
			ended: (key: string, ms: number) => void told.push([name, 'ended', key, ms]),
		});
		const all = allOf(observer('log'), observer('metrics'));
		all.began('a');
		all.ended('a', 7);
		expect(told).toEqual([
			['log', 'began', 'a'],
			['metrics', 'began', 'a'],
			['log', 'ended', 'a', 7],
			['metrics', 'ended', 'a', 7],
		]);
	});
});
