import { describe, expect, it } from 'vitest';
import { describeTarget } from '../../test/fixtures/describe-target.ts';
import { readTarget } from './canonical-target.ts';

describe('readTarget', () => {
	it.each([
		{ why: 'a canonical claim', claim: { kind: 'Pod', name: 'a', namespace: 'n' }, want: 'n/Pod/a' },
		{
			why: 'a built-in kind in any letters',
			claim: { kind: 'statefulSET', name: 'a', namespace: 'n' },
			want: 'n/StatefulSet/a',
		},
		{
			why: 'a cluster-scoped kind with a namespace',
			claim: { kind: 'Node', name: 'a', namespace: 'n' },
			want: 'Node/a',
		},
		{
			why: 'a custom kind in a namespace',
			claim: { kind: 'Kafka', name: 'a', namespace: 'n' },
			want: 'n/Kafka/a',
		},
		{ why: 'a custom kind without a namespace', claim: { kind: 'Kafka', name: 'a', namespace: '' }, want: 'Kafka/a' },
		{
			why: 'a name with a colon',
			claim: { kind: 'ClusterRole', name: 'system:node' },
			want: 'ClusterRole/system:node',
		},
		{
			why: 'a name of an RBAC kind with what shells act on',
			claim: { kind: 'RoleBinding', name: '$(id)', namespace: 'n' },
			want: 'n/RoleBinding/$(id)',
		},
		{ why: 'the APIService of the core group', claim: { kind: 'APIService', name: 'v1.' }, want: 'APIService/v1.' },
		{ why: 'a name with dots', claim: { kind: 'Node', name: 'w-1.example.com' }, want: 'Node/w-1.example.com' },
	])('readTarget spells $why as $want', ({ claim, want }) => {
		const target = readTarget(claim);
		expect(target && describeTarget(target)).toBe(want);
	});

	it.each([
		{ why: 'a namespaced kind without namespace', claim: { kind: 'Pod', name: 'a' } },
		{ why: 'an impossible namespace', claim: { kind: 'Pod', name: 'a', namespace: 'N_n' } },
		{ why: 'a name with a slash', claim: { kind: 'Pod', name: 'a/b', namespace: 'n' } },
		{ why: 'a name with a percent sign', claim: { kind: 'Pod', name: 'a%b', namespace: 'n' } },
		{ why: 'a name with a space', claim: { kind: 'Pod', name: 'a b', namespace: 'n' } },
		{ why: 'a name with a control character', claim: { kind: 'Pod', name: 'a\u0000', namespace: 'n' } },
		{ why: 'a name with half a character', claim: { kind: 'Pod', name: 'a\ud800', namespace: 'n' } },
		{ why: 'a name that is a path', claim: { kind: 'Pod', name: '..', namespace: 'n' } },
		{ why: 'an empty name', claim: { kind: 'Pod', name: '', namespace: 'n' } },
		{ why: 'a name that is too long', claim: { kind: 'Pod', name: 'a'.repeat(254), namespace: 'n' } },
		...['--all', '-a', 'a-', '$(id)', '`id`', ';id', 'a;b', '*', 'a:b', 'A', 'a_b', '.a', 'a..b', 'a\n'].flatMap(
			(name) =>
				['Pod', 'Deployment', 'Node', 'Kafka'].map((kind) => ({
					why: `a ${kind} named ${JSON.stringify(name)}`,
					claim: { kind, name, namespace: 'n' },
				})),
		),
		{ why: 'a Namespace with a dot', claim: { kind: 'Namespace', name: 'a.b' } },
		{ why: 'a ClusterRole that is a path', claim: { kind: 'ClusterRole', name: '..' } },
		{ why: 'a ClusterRole with a control character', claim: { kind: 'ClusterRole', name: 'a\u007f' } },
		{ why: 'an impossible kind', claim: { kind: 'my-kind', name: 'a' } },
		{ why: 'a kind that is a property of every object', claim: { kind: 'constructor', name: 'a' } },
	])('readTarget finds no target in $why', ({ claim }) => {
		expect(readTarget(claim)).toBeUndefined();
	});

	it('readTarget keeps a possible apiVersion, and leaves an impossible one out', () => {
		const claim = { kind: 'Pod', name: 'a', namespace: 'n' };
		expect(readTarget({ ...claim, apiVersion: 'apps/v1' })).toMatchObject({ apiVersion: 'apps/v1' });
		expect(readTarget({ ...claim, apiVersion: 'Apps/V1 ' })).not.toHaveProperty('apiVersion');
	});
});
