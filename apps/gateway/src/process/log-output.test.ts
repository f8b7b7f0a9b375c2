import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogOutput } from './log-output.ts';

function room() {
	const clock = new ManualClock();
	const writes: string[][] = [];
	const messagesOf = (lines: string) =>
		lines
			.trim()
			.split('\n')
			.map((line) => (JSON.parse(line) as { msg: string }).msg);
	const output = createLogOutput((lines) => writes.push(messagesOf(lines)), clock);
	return { clock, writes, output, log: pino({}, output) };
}

describe('lines of a log', () => {
	it('go out together after a moment', () => {
		const { clock, writes, log } = room();
		log.info('one');
		clock.advance(5);
		log.info('two');
		expect(writes).toEqual([]);
		clock.advance(5);
		expect(writes).toEqual([['one', 'two']]);
		log.info('three');
		clock.advance(10);
		expect(writes).toEqual([['one', 'two'], ['three']]);
	});

	it('go out at once with a warning', () => {
		const { clock, writes, log } = room();
		log.info('one');
		log.warn('two');
		expect(writes).toEqual([['one', 'two']]);
		log.error('three');
		expect(writes).toEqual([['one', 'two'], ['three']]);
		clock.advance(10);
		expect(writes).toHaveLength(2);
	});

	it('go out when they are asked for, and once', () => {
		const { clock, writes, output, log } = room();
		log.info('one');
		output.flush();
		clock.advance(10);
		expect(writes).toEqual([['one']]);
	});

	it('keep no timer when there are none', () => {
		const { clock, log } = room();
		log.info('one');
		clock.advance(10);
		expect(clock.pending).toBe(0);
	});
});
