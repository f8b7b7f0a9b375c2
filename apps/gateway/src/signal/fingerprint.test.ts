import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOfLabels, fingerprintOfTarget } from './fingerprint.ts';

describe('the fingerprint', () => {
	it('the fingerprint of a target is the hash of signalName:namespace:Kind:name', () => {
		const want = createHash('sha256').update('PodCrashLooping:shop:Pod:cart').digest('hex');
		expect(fingerprintOfTarget('PodCrashLooping', { kind: 'Pod', name: 'cart', namespace: 'shop' })).toBe(want);
	});

	it('the fingerprint of a cluster-scoped target has an empty namespace', () => {
		const want = createHash('sha256').update('NodeDown::Node:w').digest('hex');
		expect(fingerprintOfTarget('NodeDown', { kind: 'Node', name: 'w' })).toBe(want);
	});

	it('fields with colons do not run into each other in a fingerprint', () => {
		const one = fingerprintOfTarget('A', { namespace: 'b', kind: 'Role', name: 'x:Y:z' });
		const other = fingerprintOfTarget('A:b:Role', { namespace: 'x', kind: 'Y', name: 'z' });
		expect(one).not.toBe(other);
	});

	it.each([
		{ why: 'letters that look alike', a: 'caf\u00e9', b: 'cafe\u0301' },
		{ why: 'an escape that is written out', a: 'A:b', b: 'A%3Ab' },
		{ why: 'large and small letters', a: 'Down', b: 'down' },
	])('signal names that differ in $why have different fingerprints', ({ a, b }) => {
		const target = { kind: 'Node', name: 'w' };
		expect(fingerprintOfTarget(a, target)).not.toBe(fingerprintOfTarget(b, target));
	});

	it.each(['severity', 'priority', 'value', 'prometheus', 'prometheus_replica'])(
		'the fingerprint of labels stays the same when %s changes, comes or goes',
		(label) => {
			const labels = { alertname: 'A', queue: 'orders' };
			const want = fingerprintOfLabels(labels);
			expect(fingerprintOfLabels({ ...labels, [label]: '1' })).toBe(want);
			expect(fingerprintOfLabels({ ...labels, [label]: '2' })).toBe(want);
		},
	);

	it('the fingerprint of labels ignores their order and empty ones', () => {
		expect(fingerprintOfLabels({ a: '1', b: '2', c: '' })).toBe(fingerprintOfLabels({ b: '2', a: '1' }));
	});

	it('two different sets of labels have different fingerprints', () => {
		const labels = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ minLength: 1, unit: 'grapheme' }), {
			maxKeys: 4,
		});
		fc.assert(
			fc.property(labels, labels, (a, b) => {
				const plain = (map: Record<string, string>) =>
					JSON.stringify(Object.entries(map).toSorted(([x], [y]) => (x < y ? -1 : 1)));
				const passing = ['severity', 'priority', 'value', 'prometheus', 'prometheus_replica'];
				fc.pre(!passing.some((label) => Object.hasOwn(a, label) || Object.hasOwn(b, label)));
				expect(fingerprintOfLabels(a) === fingerprintOfLabels(b)).toBe(plain(a) === plain(b));
			}),
		);
	});
});
