import { describe, expect, it } from 'vitest';
import { type Run, runIdentity } from './run-identity.ts';

const run: Run = { workflowUid: 'w', generation: 1, target: 'a/Pod/p', parameters: { A: '1', B: '2' } };

describe('runs', () => {
	it.each<{ differ: string; change: Partial<Run> }>([
		{ differ: 'workflow', change: { workflowUid: 'v' } },
		{ differ: 'generation', change: { generation: 2 } },
		{ differ: 'target', change: { target: 'a/Pod/q' } },
		{ differ: 'value of a parameter', change: { parameters: { A: '1', B: '3' } } },
		{ differ: 'name of a parameter', change: { parameters: { A: '1', C: '2' } } },
		{ differ: 'number of parameters', change: { parameters: { A: '1' } } },
		{ differ: 'place of a value', change: { parameters: { A: '2', B: '1' } } },
	])('that differ in the $differ are not equal', ({ change }) => {
		expect(runIdentity({ ...run, ...change })).not.toBe(runIdentity(run));
	});

	it('are equal whatever the order of their parameters', () => {
		expect(runIdentity({ ...run, parameters: { B: '2', A: '1' } })).toBe(runIdentity(run));
	});
});
