import { describe, expect, it } from 'vitest';
import { Faults } from './faults.ts';

describe('faults of some of several', () => {
	it('are kept while the others go on, and the first is thrown', async () => {
		const faults = new Faults();
		const done: string[] = [];
		for (const name of ['a', 'b', 'c'])
			await faults.keep(async () => {
				if (name !== 'c') throw new Error(name);
				done.push(name);
			});
		expect(done).toEqual(['c']);
		expect(() => faults.throwFirst()).toThrow('a');
	});

	it('none: nothing is thrown', async () => {
		const faults = new Faults();
		await faults.keep(async () => {});
		expect(() => faults.throwFirst()).not.toThrow();
	});
});
