import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { expect, it } from 'vitest';
import { LeaseObservations } from './lease-observations.ts';
import { LeaseSweeper } from './lease-sweeper.ts';
import { resolveLockConfig } from './lock-config.ts';
import { LockFault } from './lock-errors.ts';
import type { Lease } from './lock-ports.ts';

const AWAY = new LockFault('unavailable', 'away');

function lease(name: string, holder = 'dead_1'): Lease {
	return { name, uid: 'u', resourceVersion: '1', holder, durationMs: 30_000, transitions: 0, acquireTime: undefined };
}

function sweeper() {
	const clock = Object.assign(new ManualClock(), { wallTime: () => new Date(0) });
	const observations = new LeaseObservations(clock);
	const there = new Map<string, Lease>();
	const world = { away: false, reads: 0, removals: [] as string[], swept: [] as string[] };
	const client = {
		async read(name: string) {
			world.reads++;
			if (world.away) throw AWAY;
			return there.get(name);
		},
		async remove({ name }: Lease): Promise<'removed' | 'changed' | 'gone'> {
			world.removals.push(name);
			if (world.away) throw AWAY;
			if (there.get(name)?.holder === 'alive_1') return 'changed';
			return there.delete(name) ? 'removed' : 'gone';
		},
	};
	const config = resolveLockConfig({ prefix: 'gw-', podName: 'pod' });
	const subject = new LeaseSweeper(config, client, observations, clock, {
		swept: ({ name }) => world.swept.push(name),
	});
	const advance = async (seconds: number) => {
		for (let passed = 0; passed < seconds; passed++) {
			clock.advance(1000);
			for (let turns = 0; turns < 3; turns++) await turn();
		}
	};
	return { clock, observations, there, world, subject, advance };
}

it('many writes that were given up need one timer, and one read per round while the API server is away', async () => {
	const { clock, subject, world, advance } = sweeper();
	world.away = true;
	for (let n = 0; n < 100; n++) subject.abandon(`pod_${n}`, `gw-${n}`);
	expect(clock.pending).toBe(1);
	await advance(30);
	expect(world.reads).toBe(3);
	world.away = false;
	await advance(10);
	expect(world.reads).toBe(103);
	expect(clock.pending).toBe(0);
});

it('writes that were given up are forgotten in a long outage', async () => {
	const { clock, subject, world, advance } = sweeper();
	world.away = true;
	subject.abandon('pod_1', 'gw-1');
	await advance(120);
	expect(clock.pending).toBe(0);
});

it('a write that was given up is looked for at its own time, not at that of an earlier one', async () => {
	const { subject, there, world, advance } = sweeper();
	subject.abandon('pod_1', 'gw-1');
	await advance(9);
	subject.abandon('pod_2', 'gw-2');
	await advance(2);
	there.set('gw-2', lease('gw-2', 'pod_2')); // it lands late
	await advance(8);
	expect(world.swept).toEqual(['gw-2']);
});

it('a lease that turns out to be alive is tried once, not in every round', async () => {
	const { subject, observations, there, world, advance } = sweeper();
	there.set('gw-1', lease('gw-1', 'alive_1'));
	observations.observe(lease('gw-1'));
	subject.start();
	await advance(400);
	expect(world.removals).toEqual(['gw-1']);
	expect(there.has('gw-1')).toBe(true);
});

it('a stopped sweeper removes nothing, and sets no timer', async () => {
	const { clock, subject, observations, there, world, advance } = sweeper();
	there.set('gw-1', lease('gw-1'));
	observations.observe(lease('gw-1'));
	subject.start();
	await subject.stop();
	subject.abandon('pod_1', 'gw-2');
	expect(clock.pending).toBe(0);
	await advance(200);
	expect(world.removals).toEqual([]);
});
