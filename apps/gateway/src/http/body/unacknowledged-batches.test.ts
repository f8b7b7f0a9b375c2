import { describe, expect, it } from 'vitest';
import { BatchRecord, type Outcome, UnacknowledgedBatches } from './unacknowledged-batches.ts';

const stored = (name: string): Outcome => ({
	outcome: 'created',
	request: { name, namespace: 'ns' },
	occurrenceCount: 1,
});
const DEFERRED: Outcome = { outcome: 'deferred', reason: 'lock-timeout', retryAfterMs: 1, message: '' };

function setUp() {
	const now = { ms: 0 };
	return { now, batches: new UnacknowledgedBatches(() => now.ms) };
}
async function recordOf(...identities: string[]): Promise<BatchRecord> {
	const record = new BatchRecord();
	for (const identity of identities) record.add(identity, Promise.resolve(stored(identity)));
	await Promise.resolve();
	return record;
}

describe('the record of a batch', () => {
	it('an outcome is taken by the next sending, and each of equal alerts has its own', async () => {
		const record = (await recordOf('a', 'a')).rewind();
		expect([record.take('a'), record.take('a'), record.take('a')]).toEqual([stored('a'), stored('a'), undefined]);
	});

	it('a sending does not take its own outcomes', async () => {
		const record = await recordOf('a');
		expect(record.take('a')).toBeUndefined();
	});

	it('an outcome that has not ended yet is taken as a promise', async () => {
		const record = new BatchRecord();
		const ending = Promise.withResolvers<Outcome>();
		record.add('a', ending.promise);
		const taken = record.rewind().take('a');
		ending.resolve(stored('late'));
		expect(await taken).toEqual(stored('late'));
	});

	it.each([
		{ what: 'deferred', end: () => Promise.resolve(DEFERRED) },
		{ what: 'failed', end: () => Promise.reject(new Error('x')) },
	])('a signal that was $what is handled again', async ({ end }) => {
		const record = new BatchRecord();
		record.add('a', end());
		await new Promise((resolve) => setImmediate(resolve));
		expect([record.size, record.rewind().take('a')]).toEqual([0, undefined]);
	});
});

describe('batches that were not acknowledged', () => {
	it('the repetition of a batch gets its record, another batch does not', async () => {
		const { batches } = setUp();
		batches.putBack('one', await recordOf('a'));
		expect(batches.takeOut('two').take('a')).toBeUndefined();
		expect(batches.takeOut('one').take('a')).toEqual(stored('a'));
	});

	it('a record belongs to one sending: an equal batch at the same time is another notification', async () => {
		const { batches } = setUp();
		batches.putBack('one', await recordOf('a'));
		batches.takeOut('one');
		expect(batches.takeOut('one').take('a')).toBeUndefined();
	});

	it('a batch that was acknowledged, and so not put back, is forgotten', async () => {
		const { batches } = setUp();
		batches.putBack('one', await recordOf('a'));
		batches.takeOut('one');
		expect(batches.size).toBe(0);
	});

	it('a batch is forgotten after 15 minutes, and one of which nothing was stored at once', async () => {
		const { batches, now } = setUp();
		batches.putBack('empty', new BatchRecord());
		expect(batches.size).toBe(0);
		batches.putBack('old', await recordOf('a'));
		now.ms = 15 * 60_000 + 1;
		expect(batches.takeOut('old').take('a')).toBeUndefined();
	});

	it('the oldest batches are forgotten when there are too many alerts', async () => {
		const { batches } = setUp();
		const many = () => recordOf(...Array.from({ length: 20_000 }, (_, i) => `a${i}`));
		for (const batch of ['one', 'two', 'three']) batches.putBack(batch, await many());
		expect(batches.takeOut('one').size).toBe(0);
		expect([batches.takeOut('two').size, batches.takeOut('three').size]).toEqual([20_000, 20_000]);
	});
});
