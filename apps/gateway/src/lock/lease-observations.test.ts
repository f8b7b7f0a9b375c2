import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { LeaseObservations } from './lease-observations.ts';
import type { Lease } from './lock-ports.ts';

function lease(resourceVersion: string, name = 'a', holder = 'pod_1'): Lease {
	return { name, uid: 'u', resourceVersion, holder, durationMs: 30_000, transitions: 0, acquireTime: undefined };
}

function observations() {
	const clock = new ManualClock();
	const news: string[] = [];
	const seen = new LeaseObservations(clock, ({ resourceVersion }) => news.push(resourceVersion));
	return { clock, news, seen };
}

describe('a version', () => {
	it.each([
		{ known: '9', next: '10', wantNew: true },
		{ known: '99999999999999999999', next: '100000000000000000000', wantNew: true },
		{ known: '10', next: '9', wantNew: false },
		{ known: '10', next: '10', wantNew: false },
	])('$next after $known is news: $wantNew', ({ known, next, wantNew }) => {
		const { clock, news, seen } = observations();
		seen.observe(lease(known));
		clock.advance(1000);
		const { lease: kept, since } = seen.observe(lease(next));
		expect({ version: kept.resourceVersion, since }).toEqual(
			wantNew ? { version: next, since: 1000 } : { version: known, since: 0 },
		);
		expect(news).toEqual(wantNew ? [known, next] : [known]);
	});

	it.each([
		{ known: '10', gone: '11', wantSize: 0 },
		{ known: '10', gone: '10', wantSize: 0 },
		{ known: '10', gone: '9', wantSize: 1 },
	])('$gone that is gone leaves $wantSize of $known', ({ known, gone, wantSize }) => {
		const { seen } = observations();
		seen.observe(lease(known));
		seen.removed(lease(gone));
		expect(seen.size).toBe(wantSize);
	});
});

it('a list forgets what it does not hold, unless we know of something newer than the list', () => {
	const { seen } = observations();
	seen.observe(lease('5', 'old'));
	seen.observe(lease('9', 'listed'));
	seen.observe(lease('20', 'newer'));
	seen.replaceAll([lease('9', 'listed'), lease('12', 'unseen')], '15');
	expect(
		seen
			.all()
			.map(({ lease: { name } }) => name)
			.toSorted(),
	).toEqual(['listed', 'newer', 'unseen']);
});

describe('who waits for a removal', () => {
	it('is told of it, and of no other lease', () => {
		const { seen } = observations();
		const told: string[] = [];
		for (const name of ['a', 'b']) {
			seen.observe(lease('1', name));
			seen.onRemoved(name, () => told.push(name));
		}
		seen.removed(lease('2', 'a'));
		expect(told).toEqual(['a']);
	});

	it('is not told when a newer one is there', () => {
		const { seen } = observations();
		const told: string[] = [];
		seen.observe(lease('5'));
		seen.onRemoved('a', () => told.push('a'));
		seen.removed(lease('4'));
		expect(told).toEqual([]);
	});

	it('stays when another who waited goes, twice', () => {
		const { seen } = observations();
		const told: string[] = [];
		const stop = seen.onRemoved('a', () => told.push('first'));
		stop();
		seen.onRemoved('a', () => told.push('second'));
		stop();
		seen.removed(lease('1'));
		expect(told).toEqual(['second']);
	});
});
