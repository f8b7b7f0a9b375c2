import { CANONICAL_TARGET_EXAMPLES } from '@kubernaut/testkit/canonical-target-examples';
import { describe, expect, it } from 'vitest';
import { canonicalTarget, readTarget } from './canonical-target.ts';

describe('canonicalTarget', () => {
	it.each(CANONICAL_TARGET_EXAMPLES)('names $want', ({ target, want }) => {
		expect(canonicalTarget(target)).toBe(want);
	});

	it('has a different name for each different target', () => {
		const targets = CANONICAL_TARGET_EXAMPLES.map(({ target: { apiVersion: _, ...target } }) => JSON.stringify(target));
		const names = CANONICAL_TARGET_EXAMPLES.map(({ target }) => canonicalTarget(target));
		expect(new Set(names).size).toBe(new Set(targets).size);
	});
});

describe('readTarget', () => {
	it.each([
		{ why: 'as told', claim: { kind: 'Pod', name: 'a', namespace: 'n' }, want: 'n/Pod/a' },
		{
			why: 'a built-in kind in any letters',
			claim: { kind: 'statefulSET', name: 'a', namespace: 'n' },
			want: 'n/StatefulSet/a',
		},
		{
			why: 'a cluster kind, whatever namespace is told',
			claim: { kind: 'Node', name: 'a', namespace: 'n' },
			want: 'Node/a',
		},
		{
			why: 'a kind of somebody else, in a namespace',
			claim: { kind: 'Kafka', name: 'a', namespace: 'n' },
			want: 'n/Kafka/a',
		},
		{ why: 'a kind of somebody else, in none', claim: { kind: 'Kafka', name: 'a', namespace: '' }, want: 'Kafka/a' },
		{
			why: 'a name with a colon',
			claim: { kind: 'ClusterRole', name: 'system:node' },
			want: 'ClusterRole/system:node',
		},
	])('spells $why: $want', ({ claim, want }) => {
		const target = readTarget(claim);
		expect(target && canonicalTarget(target)).toBe(want);
	});

	it.each([
		{ why: 'a namespaced kind without namespace', claim: { kind: 'Pod', name: 'a' } },
		{ why: 'a namespace that cannot be', claim: { kind: 'Pod', name: 'a', namespace: 'N_n' } },
		{ why: 'a name with a slash', claim: { kind: 'Pod', name: 'a/b', namespace: 'n' } },
		{ why: 'a name with a percent sign', claim: { kind: 'Pod', name: 'a%b', namespace: 'n' } },
		{ why: 'a name with a space', claim: { kind: 'Pod', name: 'a b', namespace: 'n' } },
		{ why: 'a name with a control character', claim: { kind: 'Pod', name: 'a\u0000', namespace: 'n' } },
		{ why: 'a name with half a character', claim: { kind: 'Pod', name: 'a\ud800', namespace: 'n' } },
		{ why: 'a name that is a path', claim: { kind: 'Pod', name: '..', namespace: 'n' } },
		{ why: 'an empty name', claim: { kind: 'Pod', name: '', namespace: 'n' } },
		{ why: 'a name that is too long', claim: { kind: 'Pod', name: 'a'.repeat(254), namespace: 'n' } },
		{ why: 'a kind that cannot be', claim: { kind: 'my-kind', name: 'a' } },
		{ why: 'a kind that is a property of every object', claim: { kind: 'constructor', name: 'a' } },
	])('finds no target in $why', ({ claim }) => {
		expect(readTarget(claim)).toBeUndefined();
	});

	it('keeps an apiVersion that can be one, and leaves another out', () => {
		const claim = { kind: 'Pod', name: 'a', namespace: 'n' };
		expect(readTarget({ ...claim, apiVersion: 'apps/v1' })).toMatchObject({ apiVersion: 'apps/v1' });
		expect(readTarget({ ...claim, apiVersion: 'Apps/V1 ' })).not.toHaveProperty('apiVersion');
	});
});
