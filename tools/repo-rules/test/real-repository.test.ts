import { describe, expect, it } from 'vitest';
import { RULES } from '../src/rules.ts';
import { exists, ROOT } from '../src/tree.ts';
import { describeViolations } from '../src/violation.ts';

describe('this repository keeps the rule', () => {
	it.each(Object.entries(RULES))('%s', async (_, rule) => {
		expect(describeViolations(await rule(ROOT))).toBe('');
	});
});

describe('a rule that cannot fail is no rule', () => {
	it.each(Object.keys(RULES))('%s is seen to fail in a test of its own', (name) => {
		expect(exists(ROOT, `tools/repo-rules/test/${name}.test.ts`)).toBe(true);
	});
});
