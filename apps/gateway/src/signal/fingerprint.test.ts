import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOfLabels, fingerprintOfTarget } from './fingerprint.ts';
import { DEFAULT_SIGNAL_RULES } from './signal-rules.ts';

describe('the fingerprint', () => {
	it('the fingerprint of a target is the hash of signal name, namespace, kind and name', () => {
		const want = createHash('sha256').update('object\n["PodCrashLooping","shop","pod","cart"]').digest('hex');
		expect(fingerprintOfTarget('PodCrashLooping', { kind: 'Pod', name: 'cart', namespace: 'shop' })).toBe(want);
	});

	it('the fingerprint of a cluster-scoped target has an empty namespace', () => {
		const want = createHash('sha256').update('object\n["NodeDown","","node","w"]').digest('hex');
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
			const want = fingerprintOfLabels(labels, DEFAULT_SIGNAL_RULES);
			expect(fingerprintOfLabels({ ...labels, [label]: '1' }, DEFAULT_SIGNAL_RULES)).toBe(want);
			expect(fingerprintOfLabels({ ...labels, [label]: '2' }, DEFAULT_SIGNAL_RULES)).toBe(want);
		},
	);

	it('the fingerprint of labels ignores their order and empty ones', () => {
		expect(fingerprintOfLabels({ a: '1', b: '2', c: '' }, DEFAULT_SIGNAL_RULES)).toBe(
			fingerprintOfLabels({ b: '2', a: '1' }, DEFAULT_SIGNAL_RULES),
		);
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
				expect(fingerprintOfLabels(a, DEFAULT_SIGNAL_RULES) === fingerprintOfLabels(b, DEFAULT_SIGNAL_RULES)).toBe(
					plain(a) === plain(b),
				);
			}),
		);
	});

	it('the fingerprint of labels keeps of a pod only what its controller did not generate', () => {
		const of = (pod: string) => fingerprintOfLabels({ alertname: 'A', pod, server: 's' }, DEFAULT_SIGNAL_RULES);
		expect(of('exporter-7d4b9c8f6-x2x8p')).toBe(of('exporter-5f6c7d8b9-q7wkz'));
		expect(of('exporter-0')).not.toBe(of('exporter-1'));
	});

	it('a configured label of state makes no other incident', () => {
		const rules = { ...DEFAULT_SIGNAL_RULES, passingLabels: ['shift'] };
		const labels = { alertname: 'A', queue: 'q' };
		expect(fingerprintOfLabels({ ...labels, shift: 'night' }, rules)).toBe(fingerprintOfLabels(labels, rules));
	});

	it('the same signal has the same fingerprint, in whichever letters its kind is written', () => {
		fc.assert(
			fc.property(fc.string(), fc.stringMatching(/^[A-Za-z]{1,20}$/), fc.string(), (name, kind, object) => {
				const target = { kind, name: object, namespace: 'n' };
				expect(fingerprintOfTarget(name, { ...target, kind: kind.toUpperCase() })).toBe(
					fingerprintOfTarget(name, { ...target, kind: kind.toLowerCase() }),
				);
			}),
		);
	});
});
