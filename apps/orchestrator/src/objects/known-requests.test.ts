import { describe, expect, it } from 'vitest';
import { aRequest } from '../../test/harness/made-up.ts';
import { KnownRequests } from './known-requests.ts';
import type { Remediation } from './remediation.ts';

const BUDGET = 10_000;
const TEXT = 'x'.repeat(4000);

/** Two of them have room in the budget. */
function large(n: number, changes: Partial<Remediation> = {}): Remediation {
	const request = aRequest({ name: `rr-${n}`, uid: `uid-${n}`, ...changes });
	return { ...request, signal: { ...request.signal, labels: { text: TEXT } } };
}
function known(...requests: readonly Remediation[]): KnownRequests {
	const objects = new KnownRequests(() => {}, BUDGET);
	for (const request of requests) objects.changed(request);
	return objects;
}
const withTexts = (requests: KnownRequests) =>
	[...requests.all()].filter(({ hasTexts }) => hasTexts).map(({ name }) => name);

describe('the texts of requests', () => {
	it('are kept up to the budget; beyond, requests are kept without them, and say so', () => {
		const requests = known(large(1), large(2), large(3));
		expect(withTexts(requests)).toEqual(['rr-1', 'rr-2']);
		expect(requests.get('rr-1')?.signal.labels).toEqual({ text: TEXT });
		expect(requests.get('rr-3')).toMatchObject({ hasTexts: false, signal: { labels: {}, annotations: {} } });
		expect(requests.textBytes).toBeGreaterThan(2 * TEXT.length);
		expect(requests.textBytes).toBeLessThanOrEqual(BUDGET);
	});

	it('of a small request have room where those of a large one have none', () => {
		const requests = known(large(1), large(2), large(3), aRequest());
		expect(withTexts(requests)).toEqual(['rr-1', 'rr-2']);
		const small = aRequest({ name: 'rr-4', uid: 'uid-4' });
		requests.changed({ ...small, signal: { ...small.signal, annotations: { a: 'b' } } });
		expect(requests.get('rr-4')).toMatchObject({ hasTexts: true, signal: { annotations: { a: 'b' } } });
	});

	it.each<{ why: string; change: (requests: KnownRequests) => void }>([
		{ why: 'ends', change: (requests) => requests.changed(large(1, { resourceVersion: '2', phase: 'Completed' })) },
		{
			why: 'is being deleted',
			change: (requests) => requests.changed(large(1, { resourceVersion: '2', deleting: true })),
		},
		{ why: 'is removed', change: (requests) => requests.removed(large(1, { resourceVersion: '2' })) },
		{ why: 'is missing in a list', change: (requests) => requests.replaceAll([large(2), large(3)], '9') },
		{
			why: 'is replaced',
			change: (requests) => requests.changed(aRequest({ name: 'rr-1', uid: 'another', resourceVersion: '2' })),
		},
	])('of a request that $why give their room to the next', ({ change }) => {
		const requests = known(large(1), large(2), large(3));
		change(requests);
		requests.changed(large(3, { resourceVersion: '10' }));
		expect(withTexts(requests)).toEqual(expect.arrayContaining(['rr-2', 'rr-3']));
		expect(requests.textBytes).toBeLessThanOrEqual(BUDGET);
	});

	it('take their room once, however many versions come, also late ones', () => {
		const requests = known(large(1, { resourceVersion: '5' }));
		const { textBytes } = requests;
		requests.changed(large(1, { resourceVersion: '6' }));
		requests.changed(large(1, { resourceVersion: '4' }));
		requests.replaceAll([large(1, { resourceVersion: '7' })], '7');
		expect(requests.textBytes).toBe(textBytes);
		requests.changed(large(1, { resourceVersion: '8', phase: 'Failed' }));
		requests.changed(large(1, { resourceVersion: '6' }));
		expect(requests.textBytes).toBe(0);
		requests.removed(large(1, { resourceVersion: '9' }));
		requests.changed(large(1, { resourceVersion: '7' }));
		expect(requests.textBytes).toBe(0);
		expect(requests.size).toBe(0);
	});

	it('stay left out in a later version that comes without them, and come back with one that has them', () => {
		const requests = known(large(1), large(2), large(3));
		const leftOut = requests.get('rr-3')!;
		requests.removed(large(1, { resourceVersion: '2' }));
		requests.changed({ ...leftOut, resourceVersion: '2' });
		expect(requests.get('rr-3')?.hasTexts).toBe(false);
		requests.changed(large(3, { resourceVersion: '3' }));
		expect(requests.get('rr-3')).toMatchObject({ hasTexts: true, signal: { labels: { text: TEXT } } });
	});
});

describe('a list', () => {
	const object = (n: number) => ({
		apiVersion: 'kubernaut.ai/v1alpha1' as const,
		kind: 'RemediationRequest' as const,
		metadata: {
			name: `rr-${n}`,
			namespace: 'kubernaut-system',
			uid: `uid-${n}`,
			resourceVersion: '1',
			generation: 1,
			creationTimestamp: '2026-11-17T12:00:00Z',
		},
		spec: {
			signalFingerprint: 'f'.repeat(64),
			signalName: 'Crash',
			severity: 'critical',
			signalType: 'alert' as const,
			signalSource: 'alertmanager',
			targetResource: { kind: 'Pod', name: 'p', namespace: 'shop' },
			firingTime: '2026-11-17T12:00:00Z',
			receivedTime: '2026-11-17T12:00:00Z',
			signalLabels: { text: TEXT },
			chain: 0,
		},
		status: { alerts: {}, deduplication: { occurrenceCount: 1, slots: {}, base: 0 } },
	});

	it('is within the budget while it is read', () => {
		const requests = known();
		const items = Array.from({ length: 5 }, (_, n) => requests.project(object(n)));
		expect(items.map(({ hasTexts }) => hasTexts)).toEqual([true, true, false, false, false]);
		requests.replaceAll(items, '9');
		expect(withTexts(requests)).toEqual(['rr-0', 'rr-1']);
	});

	it('that broke off leaves nothing behind when the next one is complete', () => {
		const requests = known();
		requests.project(object(0));
		requests.project(object(1));
		requests.replaceAll([requests.project(object(2))], '9');
		expect(requests.textBytes).toBe(0);
		requests.replaceAll([requests.project(object(2))], '10');
		expect(requests.textBytes).toBeLessThan(BUDGET / 2);
	});
});
