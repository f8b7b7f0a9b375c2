import { expect } from 'vitest';
import type { Rule } from '../../rule.ts';
import { acquire, expectContended, rejection } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

const FAULT_KINDS = ['forbidden', 'throttled', 'unavailable', 'timeout'] as const;

export const L17: Rule<LockStage> = {
	id: 'L17',
	title: 'attempts, successes, contention, failures and releases go to an observer, in closed sets',
	checks: [
		{
			title: 'an acquisition and its release are reported, with key and holder',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				await pod.lock.release(held);
				const { holder } = held;
				expect(pod.observer.events).toMatchObject([
					{ name: 'attempted' },
					{ name: 'acquired', key, holder },
					{ name: 'released', key, holder },
				]);
			},
		},
		{
			title: 'every attempt is reported as one success, one contention or one failure',
			async run(stage) {
				const [first, { pod: second, relay }] = [stage.pod(), await stage.podBehindRelay()];
				const key = stage.key();
				const held = await acquire(first, key);
				await expectContended(first, key); // inside the process
				await expectContended(second, key); // across processes
				relay.off();
				await rejection(second.lock.tryAcquire(key));
				expect(first.observer.names()).toEqual(['attempted', 'acquired', 'attempted', 'contended']);
				expect(second.observer.events).toMatchObject([
					{ name: 'attempted' },
					{ name: 'contended', key, holder: held.holder },
					{ name: 'attempted' },
					{ name: 'failed', key, fault: { kind: 'unavailable' } },
				]);
				expect(stage.site.port.faultKinds).toEqual(FAULT_KINDS);
			},
		},
		{
			title: 'the metrics have every series from the start, and no key or holder adds one',
			needs: 'metrics',
			async run({ site: { port } }) {
				if (port.createMetrics === undefined) return expect.fail('the lock has no metrics, and does not waive them');
				const { registry, lock } = port.createMetrics();
				const series = async () =>
					(await registry.metrics())
						.split('\n')
						.filter((line) => /^\w+_lock_/.test(line))
						.map((line) => line.slice(0, line.lastIndexOf(' ')));
				const atStart = await series();
				for (const word of ['acquisition_attempts', 'acquisition_failures', 'releases'])
					expect(
						atStart.some((line) => line.includes(`_lock_${word}`)),
						word,
					).toBe(true);
				for (const key of ['a/b', 'c/d']) {
					const holder = `pod_${key}`;
					lock.attempted();
					for (const takeover of [true, false]) lock.acquired({ key, holder, seconds: 0.1, takeover });
					lock.contended({ key, holder });
					for (const kind of FAULT_KINDS) lock.failed({ key, fault: Object.assign(new Error(key), { kind }) });
					lock.released({ key, holder, heldSeconds: 1 });
					lock.releaseFailed({ key, holder, error: new Error(key) });
				}
				expect(await series()).toEqual(atStart);
			},
		},
	],
};
