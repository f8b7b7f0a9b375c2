import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/harness/manual-clock.ts';
import { type Acquisition, DistributedLock, type Held } from '../lock/lease-lock.ts';
import type { Lease, LeaseClient, LeaseWrite, LockObserver } from '../lock/lock-ports.ts';
import { announcePresence, isPresence, PRESENCE_DURATION_MS, PRESENCE_PREFIX, podOf } from './replica-presence.ts';

function manualClock() {
	const timers: (() => void)[] = [];
	return {
		timers,
		setTimer(onElapsed: () => void) {
			timers.push(onElapsed);
			return () => void timers.splice(timers.indexOf(onElapsed), 1);
		},
	};
}

function lockThatAnswers(...answers: (Acquisition | Error)[]) {
	const asked: string[] = [];
	return {
		asked,
		release: async () => {},
		async tryAcquire(key: string): Promise<Acquisition> {
			asked.push(key);
			const answer = answers.shift();
			if (answer === undefined || answer instanceof Error) throw answer ?? new Error('not asked for');
			return answer;
		},
	};
}

const CONTENDED: Acquisition = { outcome: 'contended', holder: 'orchestrator-0_old', retryAfterMs: 1000 };
const held = (signal: AbortSignal): Acquisition => ({ outcome: 'acquired', held: { signal } as Held });
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** As much of an API server as one Lease needs. */
function leasesInMemory() {
	const there = new Map<string, Lease>();
	let version = 0;
	const put = (write: LeaseWrite): Lease => {
		const lease = { ...write, uid: write.holder, resourceVersion: String(++version) };
		there.set(write.name, lease);
		return lease;
	};
	const client: LeaseClient = {
		create: async (write) => (there.has(write.name) ? 'exists' : put(write)),
		read: async (name) => there.get(name),
		replace: async (current, write) => (there.has(current.name) ? put(write) : 'gone'),
		remove: async ({ name }) => (there.delete(name) ? 'removed' : 'gone'),
	};
	return { there, client };
}

const nobody = Object.fromEntries(
	['attempted', 'acquired', 'contended', 'failed', 'released', 'releaseFailed', 'lost', 'swept', 'waiting'].map(
		(name) => [name, () => {}],
	),
) as unknown as LockObserver;

describe('presence', () => {
	it('comes back when somebody deleted its Lease', async () => {
		const clock = Object.assign(new ManualClock(), { wallTime: () => new Date(0) });
		const { there, client } = leasesInMemory();
		const config = { podName: 'orchestrator-0', prefix: PRESENCE_PREFIX, leaseDurationMs: PRESENCE_DURATION_MS };
		announcePresence(new DistributedLock(config, client, clock, nobody), 'orchestrator-0', clock);
		const pass = async (seconds: number) => {
			for (let passed = 0; passed < seconds; passed++) {
				clock.advance(1000);
				for (let turns = 0; turns < 5; turns++) await turn();
			}
		};
		await pass(1);
		expect([...there.values()].map(podOf)).toEqual(['orchestrator-0']);
		there.clear();
		await pass(PRESENCE_DURATION_MS / 3000 + 31);
		expect([...there.values()].map(podOf)).toEqual(['orchestrator-0']);
	});

	it('is tried again while another has it, or the API server fails', async () => {
		const clock = manualClock();
		const lock = lockThatAnswers(CONTENDED, new Error('away'), held(new AbortController().signal));
		announcePresence(lock, 'orchestrator-0', clock);
		for (let tries = 1; tries <= 2; tries++) {
			await settled();
			expect(lock.asked).toHaveLength(tries);
			clock.timers.shift()?.();
		}
		await settled();
		expect(lock.asked).toEqual(['orchestrator-0', 'orchestrator-0', 'orchestrator-0']);
		expect(clock.timers).toHaveLength(0);
	});

	it('is announced anew when it was lost, and not after the end', async () => {
		const clock = manualClock();
		const lost = new AbortController();
		const presence = announcePresence(lockThatAnswers(held(lost.signal)), 'orchestrator-0', clock);
		await settled();
		lost.abort();
		expect(clock.timers).toHaveLength(1);
		presence.stop();
		expect(clock.timers).toHaveLength(0);
	});

	it('is told by the name of the Lease, and the pod by its holder', () => {
		expect(isPresence({ name: 'ro-replica-0123' })).toBe(true);
		expect(isPresence({ name: 'ro-lock-0123' })).toBe(false);
		expect(podOf({ holder: 'orchestrator_1-x_0123456789abcdef' })).toBe('orchestrator_1-x');
		expect(podOf({ holder: undefined })).toBeUndefined();
	});
});
