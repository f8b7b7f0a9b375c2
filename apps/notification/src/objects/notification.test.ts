import { describe, expect, it } from 'vitest';
import { aClaim, aNotification, anObject, at, NOW } from '../../test/harness/made-up.ts';
import { ClaimObservations } from './claim-observations.ts';
import { KnownNotifications } from './known-notifications.ts';
import { retryPolicyOf, toNotification } from './notification.ts';

describe('a message', () => {
	it('that is finished is kept without its text', () => {
		const kept = aNotification({ retention: '1h' }, { phase: 'Sent', completedAt: at(NOW), deliveries: [aClaim()] });
		expect(kept).toMatchObject({
			phase: 'Sent',
			retentionMs: 3_600_000,
			object: undefined,
			deliveries: [],
			channels: [],
		});
	});

	it('goes to the channels that were routed, or that it names', () => {
		expect(toNotification(anObject()).channels).toBeUndefined();
		expect(aNotification({ channels: ['log'] }).channels).toEqual(['log']);
		expect(toNotification(anObject({}, { channels: ['slack'] })).channels).toEqual(['slack']);
	});

	it('has the retry policy of its spec', () => {
		const retryPolicy = { maxAttempts: 3, initialBackoff: '1s', multiplier: 3, maxBackoff: '1m' };
		expect(retryPolicyOf({ retryPolicy })).toEqual({
			maxAttempts: 3,
			initialBackoffMs: 1000,
			multiplier: 3,
			maxBackoffMs: 60_000,
		});
	});
});

describe('observed claims', () => {
	function observed() {
		let time = 0;
		const claims = new ClaimObservations(() => time);
		return { claims, later: (ms: number) => (time += ms) };
	}
	const message = (claimedBy: string, attempt = 1) => ({ uid: 'u', deliveries: [aClaim({ claimedBy, attempt })] });

	it('count from the first sight of exactly this claim', () => {
		const { claims, later } = observed();
		claims.observe(message('a'));
		later(5000);
		claims.observe(message('a'));
		expect(claims.silentForMs('u', aClaim({ claimedBy: 'a' }))).toBe(5000);
		expect(claims.silentForMs('u', aClaim({ claimedBy: 'b' }))).toBe(0);
		claims.observe(message('a', 2));
		expect(claims.silentForMs('u', aClaim({ claimedBy: 'a', attempt: 2 }))).toBe(0);
	});

	it('leave no memory when nothing is claimed', () => {
		const { claims } = observed();
		claims.observe(message('a'));
		claims.observe({ uid: 'u', deliveries: [aClaim({ state: 'Delivered' })] });
		expect(claims.size).toBe(0);
	});
});

describe('known messages', () => {
	it('report pods at work, and forget claims of what is gone', () => {
		const pods: string[] = [];
		const known = new KnownNotifications(
			() => 0,
			() => {},
			(pod) => pods.push(pod),
		);
		const message = aNotification({}, { deliveries: [aClaim({ claimedBy: 'pod-a_1' })] });
		known.changed(message);
		expect([pods, known.claims.size]).toEqual([['pod-a'], 1]);
		known.removed(message);
		expect(known.claims.size).toBe(0);
	});

	it('are active until they are finished, deleted or replaced', () => {
		const known = new KnownNotifications(
			() => 0,
			() => {},
		);
		known.changed(aNotification());
		expect(known.active('nr-1')?.uid).toBe('uid-1');
		expect(known.active('nr-1', 'uid-2')).toBeUndefined();
		known.changed(aNotification({}, { phase: 'Failed' }, { resourceVersion: '2' }));
		expect(known.active('nr-1')).toBeUndefined();
		known.changed(aNotification({}, undefined, { resourceVersion: '3', deletionTimestamp: at(NOW) }));
		expect(known.active('nr-1')).toBeUndefined();
	});
});
