import { describe, expect, it } from 'vitest';
import { SIGNAL } from '../../test/fixtures/sample-signal.ts';
import { REMEDIATION_REQUEST_LIMITS as LIMITS } from '../generated/remediation-request.ts';
import type { Signal } from './signal.ts';
import { cutBytes, cutText, MAX_STORED_BYTES, withinLimits } from './signal-limits.ts';

function storedBytes({ name, labels, annotations, payload = '' }: Signal): number {
	const texts = [name, payload, ...Object.entries(labels).flat(), ...Object.entries(annotations).flat()];
	return Buffer.byteLength(texts.join(''));
}

describe('withinLimits', () => {
	it('a signal within the limits is unchanged', () => {
		expect(withinLimits(SIGNAL)).toEqual(SIGNAL);
	});

	it.each([
		{ field: 'name', want: LIMITS['spec.signalName'].maxLength },
		{ field: 'severity', want: LIMITS['spec.severity'].maxLength },
		{ field: 'source', want: LIMITS['spec.signalSource'].maxLength },
	] as const)('a $field that is too long is cut to its limit', ({ field, want }) => {
		expect(withinLimits({ ...SIGNAL, [field]: 'x'.repeat(100_000) })[field]).toHaveLength(want);
	});

	it('a label and an annotation that are too long are cut to their limits', () => {
		const long = 'x'.repeat(100_000);
		const cut = withinLimits({ ...SIGNAL, labels: { a: long }, annotations: { a: long } });
		expect(cut.labels['a']).toHaveLength(LIMITS['spec.signalLabels.*'].maxLength);
		expect(cut.annotations['a']).toHaveLength(LIMITS['spec.signalAnnotations.*'].maxLength);
	});

	it.each([
		{ what: 'Latin', letter: 'x' },
		{ what: 'of two bytes', letter: 'ä' },
		{ what: 'of three bytes', letter: '語' },
		{ what: 'of four bytes', letter: '😀' },
	])('a signal stores 32 KiB at most, with letters $what', ({ letter }) => {
		const many = (start: string) =>
			Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${start}${i}${letter}`, letter.repeat(700)]));
		const labels = { ...many('l'), pod: letter.repeat(5000), alertname: 'A' };
		const cut = withinLimits(
			{ ...SIGNAL, labels, annotations: many('a'), payload: letter.repeat(90_000) },
			new Set(['alertname', 'pod']),
		);
		const bytes = storedBytes(cut);
		expect(bytes).toBeLessThanOrEqual(MAX_STORED_BYTES);
		expect(bytes).toBeGreaterThan(MAX_STORED_BYTES - 4);
		expect(cut.labels).toMatchObject({ alertname: 'A', pod: letter.repeat(letter === '😀' ? 256 : 512) });
		expect(JSON.stringify(cut)).not.toContain('\ufffd');
	});

	it('the payload gets what labels and annotations leave', () => {
		const annotations = Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`a${i}`, 'x'.repeat(4000)]));
		const cut = withinLimits({ ...SIGNAL, annotations, payload: 'p'.repeat(60_000) });
		expect(cut.annotations).toEqual(annotations);
		expect(storedBytes(cut)).toBe(MAX_STORED_BYTES);
	});

	it('short annotations are not displaced by long ones', () => {
		const long = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`a${i}`, 'x'.repeat(4000)]));
		const { annotations } = withinLimits({ ...SIGNAL, annotations: { ...long, summary: 's', url: 'u' } });
		expect(annotations).toMatchObject({ summary: 's', url: 'u' });
	});

	it('long names of labels are cut, and of two that are cut to the same the first is kept', () => {
		const { labels } = withinLimits({ ...SIGNAL, labels: { ['x'.repeat(5000)]: '1', ['x'.repeat(5001)]: '2' } });
		expect(Object.entries(labels)).toEqual([['x'.repeat(256), '1']]);
	});

	it('of too many labels the identifying ones are kept', () => {
		const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${index}`, 'x']));
		const { labels } = withinLimits(
			{ ...SIGNAL, labels: { ...many, zone: 'z', pod: 'p' } },
			new Set(['pod', 'absent']),
		);
		expect(Object.keys(labels)).toHaveLength(LIMITS['spec.signalLabels'].maxProperties);
		expect(labels).toHaveProperty('pod', 'p');
		expect(labels).not.toHaveProperty('zone');
		expect(labels).not.toHaveProperty('absent');
	});
});

describe('cutText', () => {
	it.each([
		{ text: 'abc', max: 3, want: 'abc' },
		{ text: 'abcd', max: 3, want: 'abc' },
		{ text: 'ab😀', max: 3, want: 'ab' },
		{ text: 'ab😀', max: 4, want: 'ab😀' },
		{ text: 'a\ud800b', max: 9, want: 'a\ufffdb' },
	])('$text cut to $max is $want', ({ text, max, want }) => {
		expect(cutText(text, max)).toBe(want);
	});
});

describe('cutBytes', () => {
	it.each([
		{ text: 'abc', max: 3, want: 'abc' },
		{ text: 'abcd', max: 3, want: 'abc' },
		{ text: 'aä', max: 2, want: 'a' },
		{ text: 'a😀', max: 4, want: 'a' },
		{ text: 'a😀', max: 5, want: 'a😀' },
		{ text: 'a', max: 0, want: '' },
		{ text: 'a', max: -1, want: '' },
	])('$text cut to $max bytes is $want', ({ text, max, want }) => {
		expect(cutBytes(text, max)).toBe(want);
	});
});
