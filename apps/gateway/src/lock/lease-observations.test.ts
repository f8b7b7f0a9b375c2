import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { LeaseObservations } from './lease-observations.ts';
import type { Lease } from './lock-ports.ts';

function lease(resourceVersion: string, name = 'a', holder = 'pod_1'): Lease {
	return { name, uid: 'u', resourceVersion, holder, durationMs: 30_000, transitions: 0, acquireTime: undefined };
}

function observations() {
	const clock = new ManualClock();
	const newVersions: string[] = [];
	const seen = new LeaseObservations(clock, ({ resourceVersion }) => newVersions.push(resourceVersion));
	return { clock, newVersions, seen };
}

describe('versions of a lease', () => {
	it.each([
		{ known: '9', next: '10', wantNew: true },
		{ known: '99999999999999999999', next: '100000000000000000000', wantNew: true },
		{ known: '10', next: '9', wantNew: false },
		{ known: '10', next: '10', wantNew: false },
	])('version $next after $known is new: $wantNew', ({ known, next, wantNew }) => {
		const { clock, newVersions, seen } = observations();
		seen.observe(lease(known));
		clock.advance(1000);
		const { lease: kept, since } = seen.observe(lease(next));
		expect({ version: kept.resourceVersion, since }).toEqual(
			wantNew ? { version: next, since: 1000 } : { version: known, since: 0 },
		);
		expect(newVersions).toEqual(wantNew ? [known, next] : [known]);
	});

	it.each([
		{ known: '10', gone: '11', wantSize: 0 },
		{ known: '10', gone: '10', wantSize: 0 },
		{ known: '10', gone: '9', wantSize: 1 },
	])('the removal of version $gone leaves $wantSize observations of version $known', ({ known, gone, wantSize }) => {
		const { seen } = observations();
		seen.observe(lease(known));
		seen.removed(lease(gone));
		expect(seen.size).toBe(wantSize);
	});
});

it('a fresh list removes leases that it does not hold, except versions newer than the list', () => {
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

describe('a removal listener', () => {
	it('is called for the removal of its own lease only', () => {
		const { seen } = observations();
		const called: string[] = [];
		for (const name of ['a', 'b']) {
			seen.observe(lease('1', name));
			seen.onRemoved(name, () => called.push(name));
		}
		seen.removed(lease('2', 'a'));
		expect(called).toEqual(['a']);
	});

	it('is not called for a version older than the one that was seen', () => {
		const { seen } = observations();
		const called: string[] = [];
		seen.observe(lease('5'));
		seen.onRemoved('a', () => called.push('a'));
		seen.removed(lease('4'));
		expect(called).toEqual([]);
	});

	it('stays when a listener before it unsubscribes twice', () => {
		const { seen } = observations();
		const called: string[] = [];
		const stop = seen.onRemoved('a', () => called.push('first'));
		stop();
		seen.onRemoved('a', () => called.push('second'));
		stop();
		seen.removed(lease('1'));
		expect(called).toEqual(['second']);
	});
});
