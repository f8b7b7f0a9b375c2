import { describe, expect, it } from 'vitest';
import { SIGNAL } from '../../test/fixtures/sample-signal.ts';
import { REMEDIATION_REQUEST_LIMITS as LIMITS } from '../generated/remediation-request.ts';
import { cutText, withinLimits } from './signal-limits.ts';

describe('withinLimits', () => {
	it('a signal within the limits is unchanged', () => {
		expect(withinLimits(SIGNAL, [])).toEqual(SIGNAL);
	});

	it('every text that is too long is cut to its limit', () => {
		const long = 'x'.repeat(100_000);
		const cut = withinLimits(
			{
				...SIGNAL,
				name: long,
				severity: long,
				source: long,
				payload: long,
				labels: { a: long },
				annotations: { a: long },
			},
			[],
		);
		expect(cut.name).toHaveLength(LIMITS['spec.signalName'].maxLength);
		expect(cut.severity).toHaveLength(LIMITS['spec.severity'].maxLength);
		expect(cut.source).toHaveLength(LIMITS['spec.signalSource'].maxLength);
		expect(cut.payload).toHaveLength(LIMITS['spec.originalPayload'].maxLength);
		expect(cut.labels['a']).toHaveLength(LIMITS['spec.signalLabels.*'].maxLength);
		expect(cut.annotations['a']).toHaveLength(LIMITS['spec.signalAnnotations.*'].maxLength);
	});

	it('of too many labels the identifying ones are kept', () => {
		const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`a${index}`, 'x']));
		const { labels } = withinLimits({ ...SIGNAL, labels: { ...many, zone: 'z', pod: 'p' } }, ['pod', 'absent']);
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
