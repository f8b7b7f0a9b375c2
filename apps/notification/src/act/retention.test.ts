import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { aNotification, at, NOW } from '../../test/harness/made-up.ts';
import { KnownNotifications } from '../objects/known-notifications.ts';
import { drawnTurns } from './drawn-turns.ts';
import { startRetention } from './retention.ts';

function aRetention(answer: 'removed' | 'changed' | 'gone' | Error, leaveToOthersMs = 0) {
	const manual = new ManualClock();
	const known = new KnownNotifications(
		() => 0,
		() => {},
	);
	const finished = (name: string, agoMs: number) =>
		aNotification({}, { phase: 'Sent', completedAt: at(NOW - agoMs) }, { name, uid: `uid-${name}` });
	known.changed(finished('old', 3_700_000));
	known.changed(finished('young', 3_500_000));
	known.changed(aNotification({}, { phase: 'Retrying' }, { name: 'open', uid: 'uid-open' }));
	const removed: string[] = [];
	const retention = startRetention({
		known,
		store: {
			async remove({ name }) {
				if (answer instanceof Error) throw answer;
				removed.push(name);
				return answer;
			},
			get: async () =>
				aNotification(
					{},
					{ phase: 'Sent', completedAt: at(NOW) },
					{ name: 'old', uid: 'uid-old', resourceVersion: '2' },
				),
		},
		retentionMs: 3_600_000,
		leaveToOthersMs: () => leaveToOthersMs,
		clock: {
			now: () => manual.now(),
			wallTime: () => new Date(NOW + manual.now()),
			setTimer: (fire, ms) => manual.setTimer(fire, ms),
		},
		onRemoved: (phase) => void removed.push(phase),
	});
	return { retention, known, removed, manual };
}

describe('retention', () => {
	it('removes finished messages whose time is over, and no others', async () => {
		const { retention, known, removed } = aRetention('removed');
		await retention.sweep();
		expect(removed).toEqual(['old', 'Sent']);
		expect([...known.all()].map(({ name }) => name)).toEqual(['young', 'open']);
	});

	it('leaves a message that changed', async () => {
		const { retention, known } = aRetention('changed');
		await retention.sweep();
		expect(known.get('old')?.resourceVersion).toBe('2');
	});

	it('is left to the replicas that rank first', async () => {
		const { retention, removed } = aRetention('removed', 200_000);
		await retention.sweep();
		expect(removed).toEqual([]);
	});

	it('goes on after a fault, until it is stopped', async () => {
		const { retention, removed, manual } = aRetention(new Error('away'));
		manual.advance(30_000);
		await new Promise((resolve) => setImmediate(resolve));
		expect(manual.pending).toBe(1);
		retention.stop();
		expect([removed, manual.pending]).toEqual([[], 0]);
	});
});

describe('turns without presence', () => {
	it('are drawn from pod and message, within the longest wait', () => {
		const waits = Array.from({ length: 50 }, (_, i) => drawnTurns('pod-a', 250).waitMs(`nr-${i}`));
		expect(Math.max(...waits)).toBeLessThan(250);
		expect(new Set(waits).size).toBeGreaterThan(30);
		expect(drawnTurns('pod-b', 250).waitMs('nr-1')).not.toBe(drawnTurns('pod-a', 250).waitMs('nr-1'));
	});
});
