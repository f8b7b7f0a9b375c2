import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SingleFlight } from './single-flight.ts';

const KEY = 'c0ffee';

/** Runs that end when the test says so. */
class Runs {
	readonly started: { end(value: string): void; fail(error: Error): void; signal: AbortSignal }[] = [];
	readonly start = (signal: AbortSignal): Promise<string> =>
		new Promise((resolve, reject) => {
			this.started.push({ end: resolve, fail: reject, signal });
		});
}

function setUp(): { flights: SingleFlight<string>; runs: Runs } {
	return { flights: new SingleFlight(), runs: new Runs() };
}

function caller(): { controller: AbortController; signal: AbortSignal } {
	const controller = new AbortController();
	return { controller, signal: controller.signal };
}

async function turns(): Promise<void> {
	for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

describe('callers of one key', () => {
	it('callers of one key share one run, and only the first leads', async () => {
		const { flights, runs } = setUp();
		const results = Array.from({ length: 3 }, () => flights.run(KEY, runs.start, caller().signal));
		expect(runs.started).toHaveLength(1);
		runs.started[0]?.end('value');
		await expect(Promise.all(results)).resolves.toEqual([
			{ value: 'value', leads: true },
			{ value: 'value', leads: false },
			{ value: 'value', leads: false },
		]);
		expect(flights.keys).toBe(0);
	});

	it('callers of one key share the failure of a run, and the next caller starts a new run', async () => {
		const { flights, runs } = setUp();
		const results = [1, 2].map(() => flights.run(KEY, runs.start, caller().signal));
		const failures = Promise.allSettled(results);
		runs.started[0]?.fail(new Error('broken'));
		expect((await failures).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		const next = flights.run(KEY, runs.start, caller().signal);
		runs.started[1]?.end('again');
		await expect(next).resolves.toEqual({ value: 'again', leads: true });
	});

	it('callers of different keys do not share a run', () => {
		const { flights, runs } = setUp();
		void flights.run('a', runs.start, caller().signal);
		void flights.run('b', runs.start, caller().signal);
		expect(runs.started).toHaveLength(2);
	});
});

describe('a caller that leaves', () => {
	it('an abort ends the wait of its caller at once and leaves the run to the others, also when the caller leads', async () => {
		const { flights, runs } = setUp();
		const leader = caller();
		const other = caller();
		const left = flights.run(KEY, runs.start, leader.signal);
		const stayed = flights.run(KEY, runs.start, other.signal);
		leader.controller.abort(new Error('gone'));
		await expect(left).rejects.toThrow('gone');
		expect(runs.started[0]?.signal.aborted).toBe(false);
		runs.started[0]?.end('value');
		await expect(stayed).resolves.toEqual({ value: 'value', leads: false });
	});

	it('the abort of the last caller aborts the run', async () => {
		const { flights, runs } = setUp();
		const callers = [caller(), caller()];
		const results = Promise.allSettled(callers.map(({ signal }) => flights.run(KEY, runs.start, signal)));
		for (const { controller } of callers) controller.abort(new Error('gone'));
		await results;
		expect(runs.started[0]?.signal.aborted).toBe(true);
		expect(flights.keys).toBe(0);
	});

	it('a caller that was aborted before starts no run', async () => {
		const { flights, runs } = setUp();
		await expect(flights.run(KEY, runs.start, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
		expect(runs.started).toHaveLength(0);
	});

	it('neither a caller that aborts nor one that stays leaves a listener', async () => {
		const { flights, runs } = setUp();
		const [leaving, staying] = [caller(), caller()];
		const results = Promise.allSettled([leaving, staying].map(({ signal }) => flights.run(KEY, runs.start, signal)));
		leaving.controller.abort();
		runs.started[0]?.end('value');
		await results;
		expect([leaving, staying].map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual([0, 0]);
	});
});

describe('a caller that comes after a run was abandoned, before it has ended', () => {
	async function abandoned() {
		const { flights, runs } = setUp();
		const first = caller();
		const left = flights.run(KEY, runs.start, first.signal);
		first.controller.abort(new Error('the first one left'));
		await expect(left).rejects.toThrow('the first one left');
		return { flights, runs };
	}

	it('a caller that comes after a run was abandoned gets a run of its own, not the abort of another', async () => {
		const { flights, runs } = await abandoned();
		const next = flights.run(KEY, runs.start, caller().signal);
		runs.started[0]?.fail(new Error('the first one left'));
		await turns();
		runs.started[1]?.end('mine');
		await expect(next).resolves.toEqual({ value: 'mine', leads: true });
	});

	it('the end of an abandoned run leaves the next run in place, and callers share it', async () => {
		const { flights, runs } = await abandoned();
		const next = flights.run(KEY, runs.start, caller().signal);
		runs.started[0]?.end('too late');
		await turns();
		expect(flights.keys).toBe(1);
		const sharing = flights.run(KEY, runs.start, caller().signal);
		runs.started[1]?.end('mine');
		expect((await Promise.all([next, sharing])).map(({ value }) => value)).toEqual(['mine', 'mine']);
		expect(runs.started).toHaveLength(2);
	});

	it('a caller that comes in the same turn in which the last one aborted gets a run of its own', async () => {
		const { flights, runs } = setUp();
		const first = caller();
		const left = flights.run(KEY, runs.start, first.signal);
		first.controller.abort(new Error('the first one left'));
		const next = flights.run(KEY, runs.start, caller().signal);
		await expect(left).rejects.toThrow('the first one left');
		runs.started.at(-1)?.end('mine');
		await expect(next).resolves.toMatchObject({ value: 'mine' });
	});
});

it('a run that no caller left is not aborted', async () => {
	const { flights, runs } = setUp();
	const result = flights.run(KEY, runs.start, caller().signal);
	runs.started[0]?.end('value');
	await result;
	expect(runs.started[0]?.signal.aborted).toBe(false);
});
