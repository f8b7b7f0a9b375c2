import { CANONICAL_TARGET_EXAMPLES } from '@kubernaut/testkit/canonical-target-examples';
import { describe, expect, it } from 'vitest';
import { canonicalTarget } from './canonical-target.ts';

describe('canonicalTarget', () => {
	it.each(CANONICAL_TARGET_EXAMPLES)('names $want', ({ target, want }) => {
		expect(canonicalTarget(target)).toBe(want);
	});
});
