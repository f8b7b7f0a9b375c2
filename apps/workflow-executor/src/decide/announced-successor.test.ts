import { describe, expect, it } from 'vitest';
import { anExecution, at, MINUTE, NOW } from '../../test/harness/made-up.ts';
import { mayStillBeMade, SUCCESSOR_WITHIN_MS } from './announced-successor.ts';

describe('an announced successor', () => {
	it.each([
		{ what: 'none is announced', successor: undefined, deletedAt: at(NOW - 1000), want: false },
		{ what: 'its predecessor is not being deleted', successor: 'we-1', deletedAt: undefined, want: true },
		{ what: 'its predecessor was deleted just now', successor: 'we-1', deletedAt: at(NOW - 1000), want: true },
		{ what: 'a create may still be under way', successor: 'we-1', deletedAt: at(NOW - MINUTE), want: true },
		{ what: 'no create can land any more', successor: 'we-1', deletedAt: at(NOW - SUCCESSOR_WITHIN_MS), want: false },
	])('may still be made: $want, when $what', ({ successor, deletedAt, want }) => {
		expect(mayStillBeMade(anExecution({ successor, deletedAt }), NOW)).toBe(want);
	});
});
