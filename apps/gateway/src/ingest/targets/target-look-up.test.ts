import { describe, expect, it } from 'vitest';
import {
	ClusterFixture,
	jobPath,
	ownedBy,
	podPath,
	replicaSetPath,
	type Stored,
} from '../../../test/fixtures/cluster-fixture.ts';
import { KubeError } from '../../kube/kube.ts';
import type { LookUp } from '../../signal/signal.ts';
import type { LookUpSignal } from './target-look-up.ts';

const FORBIDDEN = new KubeError('KUBE_FORBIDDEN', 'get pods: forbidden');
const NOT_GRANTED = new KubeError('KUBE_NOT_GRANTED', 'get pods: forbidden at the moment');
const AWAY = new KubeError('KUBE_UNAVAILABLE', 'connection refused');

type OwnerLookUp = Extract<LookUp, { find: 'owner' }>;
function about(kind: string, name: string, more: Partial<OwnerLookUp> = {}): LookUpSignal {
	return {
		target: { kind, name, namespace: 'shop' },
		lookUp: { find: 'owner', ownerReferences: [], impliedOwners: [], ...more },
	};
}
const NODES = '/api/v1/nodes?limit=250';
const node = (name: string, ...addresses: string[]) => ({
	metadata: { name },
	status: { addresses: addresses.map((address) => ({ address })) },
});

describe('the owner of a pod', () => {
	const cases: Record<string, { objects: Record<string, Stored>; signal: LookUpSignal; want: string }> = {
		'is the first controller that is not passed through, and nothing above it': {
			objects: {
				[podPath('p')]: ownedBy('apps/v1', 'ReplicaSet', 'r'),
				[replicaSetPath('r')]: ownedBy('apps/v1', 'Deployment', 'd'),
			},
			signal: about('Pod', 'p'),
			want: 'shop/Deployment/d Owner',
		},
		'is a Job of another group, which is a workload of its own': {
			objects: { [podPath('p')]: ownedBy('batch.volcano.sh/v1alpha1', 'Job', 'j') },
			signal: about('Pod', 'p'),
			want: 'shop/Job/j Owner',
		},
		'is of a cluster-scoped kind without a namespace': {
			objects: {
				[podPath('p')]: ownedBy('example.org/v1', 'Fleet', 'f'),
				'/apis': {
					items: [
						{
							metadata: { name: 'example.org' },
							versions: [{ resources: [{ scope: 'Cluster', responseKind: { kind: 'Fleet' } }] }],
						},
					],
				},
			},
			signal: about('Pod', 'p'),
			want: 'Fleet/f Owner',
		},
		'has a namespace when discovery does not answer': {
			objects: { [podPath('p')]: ownedBy('example.org/v1', 'Fleet', 'f'), '/apis': AWAY },
			signal: about('Pod', 'p'),
			want: 'shop/Fleet/f Owner',
		},
		'is itself when its controller is the node': {
			objects: { [podPath('p')]: ownedBy('v1', 'Node', 'n') },
			signal: about('Pod', 'p'),
			want: 'shop/Pod/p Named',
		},
		'is what its sender says when it is gone': {
			objects: { [replicaSetPath('r')]: ownedBy('apps/v1', 'Deployment', 'd') },
			signal: about('Pod', 'p', {
				ownerReferences: [
					{ apiVersion: 'v1', kind: 'ConfigMap', name: 'c' },
					{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', controller: true },
				],
				impliedOwners: [{ kind: 'Job', name: 'not-asked' }],
			}),
			want: 'shop/Deployment/d SenderOwner',
		},
		'is what its name implies when what its sender says is gone too': {
			objects: { [jobPath('j')]: ownedBy('batch/v1', 'CronJob', 'c') },
			signal: about('Pod', 'p', {
				ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', controller: true }],
				impliedOwners: [
					{ kind: 'ReplicaSet', name: 'r' },
					{ kind: 'Job', name: 'j' },
				],
			}),
			want: 'shop/CronJob/c ImpliedOwner',
		},
		'is not a name from a sender that no object can have': {
			objects: {},
			signal: about('Pod', 'p', { ownerReferences: [{ kind: 'Deployment', name: '--all' }] }),
			want: 'shop/Pod/p Gone',
		},
		'is the pod when a controller on the way is gone': {
			objects: { [podPath('p')]: ownedBy('apps/v1', 'ReplicaSet', 'r') },
			signal: about('Pod', 'p'),
			want: 'shop/Pod/p Gone',
		},
		'is the pod when controllers own each other': {
			objects: {
				[jobPath('a')]: ownedBy('batch/v1', 'Job', 'b'),
				[jobPath('b')]: ownedBy('batch/v1', 'Job', 'a'),
			},
			signal: about('Job', 'a'),
			want: 'shop/Job/a Gone',
		},
	};
	it.each(Object.entries(cases))('the owner of a pod %s', async (_, { objects, signal, want }) => {
		expect(await new ClusterFixture(objects).find(signal)).toBe(want);
	});

	it('the first call is sent before the look-up goes on, and asks for the metadata alone', () => {
		const fixture = new ClusterFixture({});
		fixture.lookUp.start(about('Pod', 'p'), new AbortController().signal);
		expect(fixture.calls).toMatchObject([
			{ verb: 'get', path: podPath('p'), accept: expect.stringContaining('PartialObjectMetadata') },
		]);
	});

	it('the ReplicaSet that the name of a pod shows is asked for beside the pod, and once', async () => {
		const fixture = new ClusterFixture({
			[podPath('p-r')]: ownedBy('apps/v1', 'ReplicaSet', 'p'),
			[replicaSetPath('p')]: ownedBy('apps/v1', 'Deployment', 'd'),
		});
		const signal = about('Pod', 'p-r', { impliedOwners: [{ kind: 'ReplicaSet', name: 'p' }] });
		const looking = fixture.lookUp.start(signal, new AbortController().signal);
		expect(fixture.calls.map(({ path }) => path)).toEqual([podPath('p-r'), replicaSetPath('p')]);
		expect((await looking.finish()).target).toMatchObject({ kind: 'Deployment', name: 'd' });
		expect(fixture.calls).toHaveLength(2);
	});

	it('a ReplicaSet that was not there yet when it was asked for beside its pod is asked for again', async () => {
		let asked = 0;
		const fixture = new ClusterFixture({
			[podPath('p-r')]: ownedBy('apps/v1', 'ReplicaSet', 'p'),
			[replicaSetPath('p')]: () => (++asked === 1 ? undefined : ownedBy('apps/v1', 'Deployment', 'd')),
		});
		const signal = about('Pod', 'p-r', { impliedOwners: [{ kind: 'ReplicaSet', name: 'p' }] });
		expect(await fixture.find(signal)).toBe('shop/Deployment/d Owner');
	});

	it('what a name implies and the pod does not have is no owner of it', async () => {
		const fixture = new ClusterFixture({
			[podPath('p-r')]: ownedBy('apps/v1', 'DaemonSet', 'own'),
			[replicaSetPath('p')]: ownedBy('apps/v1', 'Deployment', 'd'),
		});
		const signal = about('Pod', 'p-r', { impliedOwners: [{ kind: 'ReplicaSet', name: 'p' }] });
		expect(await fixture.find(signal)).toBe('shop/DaemonSet/own Owner');
	});

	it('a target that needs no look-up is not asked for', async () => {
		const fixture = new ClusterFixture({});
		const named = {
			target: { kind: 'Deployment', name: 'd', namespace: 'shop' },
			lookUp: { find: 'nothing' },
		} as const;
		expect(await fixture.find(named)).toBe('shop/Deployment/d Named');
		expect(await fixture.find({ ...named, target: { kind: 'Alert', name: 'a' } })).toBe('Alert/a Alert');
		expect(fixture.calls).toEqual([]);
	});
});

describe('a look-up that is refused', () => {
	it('a look-up without the right leaves the target as it is named, and reports it', async () => {
		const fixture = new ClusterFixture({ [podPath('p')]: FORBIDDEN });
		expect(await fixture.find(about('Pod', 'p'))).toBe('shop/Pod/p Forbidden');
		expect(fixture.observed).toEqual(['Forbidden']);
		expect(fixture.rights.check()).toMatchObject({ ok: true, message: expect.stringContaining('get pods: forbidden') });
		expect(fixture.calls).toHaveLength(1);
	});

	it('a right that is missing is reported until a call has used it, whatever other calls may do', async () => {
		const refused = new KubeError('KUBE_FORBIDDEN', 'get replicasets: forbidden');
		const fixture = new ClusterFixture({
			[podPath('p')]: ownedBy('apps/v1', 'ReplicaSet', 'r'),
			[podPath('q')]: ownedBy('apps/v1', 'DaemonSet', 'd'),
			[replicaSetPath('r')]: refused,
		});
		await fixture.find(about('Pod', 'p'));
		await fixture.find(about('Pod', 'q'));
		expect(fixture.rights.check().message).toContain('get replicasets: forbidden');
		fixture.set(replicaSetPath('r'), ownedBy('apps/v1', 'Deployment', 'd'));
		expect(await fixture.find(about('Pod', 'p'))).toBe('shop/Deployment/d Owner');
		expect(fixture.rights.check().message).toBe('allowed');
	});

	it('a right that is granted a moment later is used: the API server may have been starting', async () => {
		let asked = 0;
		const fixture = new ClusterFixture({
			[podPath('p')]: () => (++asked === 1 ? NOT_GRANTED : ownedBy('apps/v1', 'DaemonSet', 'd')),
		});
		expect(await fixture.find(about('Pod', 'p'))).toBe('shop/DaemonSet/d Owner');
	});

	it('a right that stays refused is asked for twice', async () => {
		const fixture = new ClusterFixture({ [podPath('p')]: NOT_GRANTED });
		expect(await fixture.find(about('Pod', 'p'))).toBe('shop/Pod/p Forbidden');
		expect(fixture.calls).toHaveLength(2);
	});

	it('an API server that does not answer is a fault, as for the create', async () => {
		const fixture = new ClusterFixture({ [podPath('p')]: AWAY });
		await expect(fixture.find(about('Pod', 'p'))).rejects.toBe(AWAY);
	});
});

describe('the node behind a measurement', () => {
	const aboutNode = (lookUp: Omit<Extract<LookUp, { find: 'node' }>, 'find'>): LookUpSignal => ({
		target: { kind: 'Alert', name: 'named' },
		lookUp: { find: 'node', ...lookUp },
	});
	const pod = { namespace: 'shop', name: 'exporter' };
	const list = { items: [node('worker-1', '10.0.0.1', 'worker-1.example.org'), node('worker-2', '10.0.0.2')] };

	it.each([
		{
			name: 'that of the pod that measured it',
			stored: { spec: { nodeName: 'worker-7' } },
			want: 'Node/worker-7 NodeOfPod',
		},
		{ name: 'the one with its address, when that pod is gone', stored: undefined, want: 'Node/worker-2 NodeAddress' },
		{
			name: 'the one with its address, when that pod is on no node',
			stored: { spec: {} },
			want: 'Node/worker-2 NodeAddress',
		},
	])('the node is $name', async ({ stored, want }) => {
		const fixture = new ClusterFixture({
			...(stored === undefined ? {} : { [podPath('exporter')]: stored }),
			[NODES]: list,
		});
		expect(await fixture.find(aboutNode({ pod, address: '10.0.0.2' }))).toBe(want);
	});

	it.each([
		{ address: 'WORKER-1', want: 'Node/worker-1 NodeAddress' },
		{ address: 'worker-1.example.org', want: 'Node/worker-1 NodeAddress' },
		{ address: '10.0.0.9', want: 'Alert/named Gone' },
	])('the node at $address: $want', async ({ address, want }) => {
		expect(await new ClusterFixture({ [NODES]: list }).find(aboutNode({ address }))).toBe(want);
	});

	it('the nodes are listed in pages, once for all that ask within 10 s, and again when a list failed', async () => {
		const next = `${NODES}&continue=more`;
		const fixture = new ClusterFixture({ [NODES]: AWAY });
		await expect(fixture.find(aboutNode({ address: '10.0.0.1' }))).rejects.toBe(AWAY);
		fixture.set(NODES, { items: [node('worker-1', '10.0.0.1')], metadata: { continue: 'more' } });
		fixture.set(next, { items: [node('worker-2', '10.0.0.2')] });
		const asked = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((address) => fixture.find(aboutNode({ address })));
		expect(await Promise.all(asked)).toEqual([
			'Node/worker-1 NodeAddress',
			'Node/worker-2 NodeAddress',
			'Alert/named Gone',
		]);
		expect(fixture.calls.map(({ path }) => path)).toEqual([NODES, NODES, next]);
		fixture.nowMs = 9999;
		await fixture.find(aboutNode({ address: '10.0.0.3' }));
		expect(fixture.calls).toHaveLength(3);
		fixture.nowMs = 10_000;
		await fixture.find(aboutNode({ address: '10.0.0.3' }));
		expect(fixture.calls).toHaveLength(5);
	});
});

describe('a kind that is not built in', () => {
	const discovery = (kind: string) => ({
		items: [
			{
				metadata: { name: 'argoproj.io' },
				versions: [{ resources: [{ scope: 'Namespaced', responseKind: { kind } }] }],
			},
		],
	});
	const aboutKind = (kind: string): LookUpSignal => ({
		target: { kind, name: 'n', namespace: 'shop' },
		lookUp: { find: 'kind' },
	});

	it('a kind is spelled as the API server spells it, and asked for once a minute', async () => {
		const fixture = new ClusterFixture({ '/apis': discovery('Rollout') });
		expect(await fixture.find(aboutKind('ROLLOUT'))).toBe('shop/Rollout/n Discovery');
		expect(await fixture.find(aboutKind('Rollout'))).toBe('shop/Rollout/n Discovery');
		expect(fixture.calls).toHaveLength(1);
		fixture.nowMs = 60_000;
		await fixture.find(aboutKind('Rollout'));
		expect(fixture.calls).toHaveLength(2);
	});

	it('a kind that is not served stays as it is named, and is asked for again after 10 s', async () => {
		const fixture = new ClusterFixture({ '/apis': discovery('Rollout') });
		expect(await fixture.find(aboutKind('Workflow'))).toBe('shop/Workflow/n Named');
		fixture.set('/apis', discovery('Workflow'));
		expect(await fixture.find(aboutKind('Workflow'))).toBe('shop/Workflow/n Named');
		fixture.nowMs = 10_000;
		expect(await fixture.find(aboutKind('Workflow'))).toBe('shop/Workflow/n Discovery');
	});
});
