import { describe, expect, it } from 'vitest';
import { createLoopTurns } from './loop-turns.ts';

class Loop {
	#callbacks: (() => void)[] = [];
	readonly onNextTurn = (callback: () => void) => void this.#callbacks.push(callback);

	async turn(): Promise<void> {
		for (const callback of this.#callbacks.splice(0)) callback();
		await Promise.resolve();
	}
}

function room() {
	const loop = new Loop();
	const turns = createLoopTurns(loop.onNextTurn);
	const went: string[] = [];
	return { loop, went, come: (name: string) => void turns.take().then(() => went.push(name)) };
}

describe('turns of the event loop', () => {
	it('who comes to an idle loop goes on at once', async () => {
		const { loop, went, come } = room();
		come('a');
		await Promise.resolve();
		expect(went).toEqual(['a']);
		await loop.turn();
		come('b');
		await Promise.resolve();
		expect(went).toEqual(['a', 'b']);
	});

	it('of those who come together each has a turn of its own, in order', async () => {
		const { loop, went, come } = room();
		for (const name of ['a', 'b', 'c']) come(name);
		await Promise.resolve();
		expect(went).toEqual(['a']);
		await loop.turn();
		expect(went).toEqual(['a', 'b']);
		come('d');
		await loop.turn();
		expect(went).toEqual(['a', 'b', 'c']);
		await loop.turn();
		expect(went).toEqual(['a', 'b', 'c', 'd']);
	});
});
