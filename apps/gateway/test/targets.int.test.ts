// The target of a request is the workload above the pod that its signal names, as the API server knows it; the identity
// of the incident depends on the signal alone, whatever a replica may read.
import { adminApi, applyObject, createNamespace, readManifests, serviceAccountKubeconfig } from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { describeTarget } from './fixtures/describe-target.ts';
import { type Gateways, metric, occurrences, startGateways } from './harness/gateways.ts';
import { type Owner, Owners, ROLLOUT_CRD } from './harness/owners.ts';
import { type PodAlert, podWebhook } from './harness/pod-alerts.ts';
import { EVENT, PROMETHEUS } from './http/routes.ts';

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let owners: Owners;
let blind: string;

beforeAll(async () => {
	await applyObject(api, ROLLOUT_CRD);
	namespace = await createNamespace(api, 'targets');
	owners = new Owners(api, await createNamespace(api, 'workloads'));
	const account = {
		apiVersion: 'v1',
		kind: 'ServiceAccount',
		metadata: { name: 'default', namespace: owners.namespace },
	};
	await applyObject(api, account);
	gateways = await startGateways(api, namespace, { count: 1 });
	blind = await kubeconfigWithoutLookUps();
	await gateways.start('gateway-blind', {}, blind);
});

/** The rights of the gateway, but those to look up targets. */
async function kubeconfigWithoutLookUps(): Promise<string> {
	const name = 'gateway-blind';
	const kubeconfig = await serviceAccountKubeconfig(api, namespace, name, inject('controlPlane').kubeconfigPath);
	const subjects = [{ kind: 'ServiceAccount', name, namespace }];
	const group = 'rbac.authorization.k8s.io';
	const rules = (
		readManifests('deploy/apps/gateway/rbac.yaml').find(({ kind }) => kind === 'ClusterRole') as unknown as {
			rules: { resources: string[] }[];
		}
	).rules.filter(({ resources }) => resources.some((resource) => resource.endsWith('reviews')));
	const clusterName = `${namespace}-${name}`;
	await applyObject(api, { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: { name: clusterName }, rules });
	for (const [kind, role, metadata] of [
		['RoleBinding', { apiGroup: group, kind: 'Role', name: 'gateway' }, { name, namespace }],
		['ClusterRoleBinding', { apiGroup: group, kind: 'ClusterRole', name: clusterName }, { name: clusterName }],
	] as const)
		await applyObject(api, { apiVersion: `${group}/v1`, kind, metadata, roleRef: role, subjects });
	return kubeconfig;
}

async function fire(pod: string, { to = 0, ...more }: Partial<PodAlert> & { to?: number } = {}) {
	const body = podWebhook({ namespace: owners.namespace, pod, ...more });
	const { status } = await gateways.post(gateways.processes[to]!, PROMETHEUS, body);
	expect(status).toBeLessThan(300);
}
async function requestsOf(signalName: string): Promise<RemediationRequest[]> {
	return (await gateways.requests()).filter(({ spec }) => spec.signalName === signalName);
}
/** Target and its source, without the namespace of the test. */
function targetOf({ spec }: RemediationRequest): string {
	return `${describeTarget(spec.targetResource).replace(`${owners.namespace}/`, '')} ${spec.targetSource}`;
}
async function deployment(name: string, hash = '7d4b9c55f6'): Promise<{ top: Owner; replicaSet: Owner }> {
	const top = await owners.create('apps/v1', 'Deployment', name);
	return { top, replicaSet: await owners.create('apps/v1', 'ReplicaSet', `${name}-${hash}`, top) };
}

describe('the target of an alert about a pod', () => {
	const cases: Record<string, { pod: string; make: () => Promise<unknown>; want: string }> = {
		'of a Deployment': {
			pod: 'web-7d4b9c55f6-x2x8p',
			make: async () => owners.pod('web-7d4b9c55f6-x2x8p', (await deployment('web')).replicaSet),
			want: 'Deployment/web Owner',
		},
		'of a Rollout': {
			pod: 'canary-7d4b9c55f6-x2x8p',
			async make() {
				const rollout = await owners.create('argoproj.io/v1alpha1', 'Rollout', 'canary');
				const replicaSet = await owners.create('apps/v1', 'ReplicaSet', 'canary-7d4b9c55f6', rollout);
				await owners.pod('canary-7d4b9c55f6-x2x8p', replicaSet);
			},
			want: 'Rollout/canary Owner',
		},
		'of a CronJob': {
			pod: 'backup-29000000-x2x8p',
			async make() {
				const cronJob = await owners.create('batch/v1', 'CronJob', 'backup');
				const job = await owners.create('batch/v1', 'Job', 'backup-29000000', cronJob);
				await owners.pod('backup-29000000-x2x8p', job);
			},
			want: 'CronJob/backup Owner',
		},
		'of a Job alone': {
			pod: 'import-x2x8p',
			make: async () => owners.pod('import-x2x8p', await owners.create('batch/v1', 'Job', 'import')),
			want: 'Job/import Owner',
		},
		'of a ReplicaSet whose Deployment is unknown': {
			pod: 'lone-7d4b9c55f6-x2x8p',
			make: async () =>
				owners.pod('lone-7d4b9c55f6-x2x8p', await owners.create('apps/v1', 'ReplicaSet', 'lone-7d4b9c55f6')),
			want: 'ReplicaSet/lone-7d4b9c55f6 Owner',
		},
		'of none': { pod: 'bare', make: () => owners.pod('bare'), want: 'Pod/bare Named' },
		'of its node': {
			pod: 'static-worker-1',
			make: () => owners.pod('static-worker-1', { apiVersion: 'v1', kind: 'Node', name: 'worker-1', uid: 'node-uid' }),
			want: 'Pod/static-worker-1 Named',
		},
		'that is gone, of a Deployment that is there': {
			pod: 'gone-7d4b9c55f6-x2x8p',
			make: () => deployment('gone'),
			want: 'Deployment/gone ImpliedOwner',
		},
		'that is gone, of a CronJob that is there': {
			pod: 'nightly-29000000-x2x8p',
			make: async () =>
				owners.create('batch/v1', 'Job', 'nightly-29000000', await owners.create('batch/v1', 'CronJob', 'nightly')),
			want: 'CronJob/nightly ImpliedOwner',
		},
		'that is gone with all above it': {
			pod: 'ghost-7d4b9c55f6-x2x8p',
			make: async () => undefined,
			want: 'Pod/ghost-7d4b9c55f6-x2x8p Gone',
		},
	};
	it.each(Object.entries(cases))('the target of an alert about a pod %s', async (_, { pod, make, want }) => {
		await make();
		await fire(pod, { alertname: `Case-${pod}` });
		const [request] = await requestsOf(`Case-${pod}`);
		expect(request && targetOf(request)).toBe(want);
		expect(request?.spec.subject).toEqual({ kind: 'Pod', name: pod, namespace: owners.namespace });
	});

	it('a replica without the rights takes the pod, stays ready, and says which right it lacks', async () => {
		await fire('web-7d4b9c55f6-x2x8p', { alertname: 'Blind', to: 1 });
		expect((await requestsOf('Blind')).map(targetOf)).toEqual(['Pod/web-7d4b9c55f6-x2x8p Forbidden']);
		const process = gateways.processes[1]!;
		const { status, checks } = (await (await fetch(`${process.healthUrl}/readyz`)).json()) as {
			status: string;
			checks: { name: string; message: string }[];
		};
		expect(status).toBe('ready');
		// The ReplicaSet that the pod's name shows is asked for beside the pod.
		const message = checks.find(({ name }) => name === 'target-look-up')?.message;
		expect(message).toMatch(/^targets are as signals name them: /);
		for (const [group, resource] of Object.entries({ '': 'pods', apps: 'replicasets' })) {
			const right = JSON.stringify({ apiGroups: [group], resources: [resource], verbs: ['get'] });
			expect(message).toMatch(new RegExp(`get ${resource}: forbidden`));
			expect(message).toContain(right);
			expect(await metric(process, `gateway_target_lookup_forbidden{resource="${resource}"}`)).toBe(1);
		}
		expect(await metric(process, 'gateway_targets_total{source="Forbidden"}')).toBe(1);
		expect(await metric(gateways.processes[0]!, 'gateway_target_lookup_forbidden{resource="pods"}')).toBe(0);
	});

	it('a kind is one target however a sender spells it', async () => {
		for (const kind of ['ROLLOUT', 'Rollout', 'RollOut']) {
			const body = JSON.stringify({
				apiVersion: 'v1',
				kind: 'Event',
				metadata: { name: 'canary.1', namespace: owners.namespace },
				type: 'Warning',
				reason: 'RolloutDegraded',
				involvedObject: { apiVersion: 'argoproj.io/v1alpha1', kind, namespace: owners.namespace, name: 'canary' },
			});
			expect((await gateways.post(gateways.processes[0]!, EVENT, body)).status).toBeLessThan(300);
		}
		const requests = await requestsOf('RolloutDegraded');
		expect(requests.map(targetOf)).toEqual(['Rollout/canary Discovery']);
		expect(occurrences(requests)).toEqual([3]);
	});

	it('signals that join a request look nothing up', async () => {
		const lookUps = () =>
			metric(gateways.processes[0]!, 'gateway_api_requests_total{verb="get",resource="pods",code="2xx"}');
		await fire('web-7d4b9c55f6-x2x8p', { alertname: 'Joins' });
		const before = await lookUps();
		for (let i = 0; i < 20; i++) await fire('web-7d4b9c55f6-x2x8p', { alertname: 'Joins' });
		expect(await lookUps()).toBe(before);
		expect(occurrences(await requestsOf('Joins'))).toEqual([21]);
	});
});

describe('a storm about pods that come and go', () => {
	const WORKLOADS = ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Rollout'] as const;
	const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
	const suffix = (i: number) => `x2x8${LETTERS[i]}`;

	/** Makes the i-th pod of the workload, of its old or its new revision, and gives its name. */
	type Workload = { readonly kind: (typeof WORKLOADS)[number]; pod(i: number): Promise<Owner> };
	async function workload(kind: Workload['kind']): Promise<Workload> {
		const name = `storm-${kind.toLowerCase()}`;
		if (kind === 'StatefulSet') {
			const top = await owners.create('apps/v1', kind, name);
			return { kind, pod: (i) => owners.pod(`${name}-${i % 3}`, top) };
		}
		if (kind === 'DaemonSet') {
			const top = await owners.create('apps/v1', kind, name);
			return { kind, pod: (i) => owners.pod(`${name}-${suffix(i)}`, top) };
		}
		if (kind === 'CronJob') {
			const top = await owners.create('batch/v1', kind, name);
			const jobs = await Promise.all(
				[29000000, 29000060].map((minute) => owners.create('batch/v1', 'Job', `${name}-${minute}`, top)),
			);
			return { kind, pod: (i) => owners.pod(`${jobs[i % 2]!.name}-${suffix(i)}`, jobs[i % 2]) };
		}
		const [group, owner] = kind === 'Rollout' ? ['argoproj.io/v1alpha1', kind] : ['apps/v1', kind];
		const top = await owners.create(group, owner, name);
		// A roll-out in the middle: the second half of the pods has another ReplicaSet.
		const sets = await Promise.all(
			['7d4b9c55f6', '5f6c8d9b7x'].map((hash) => owners.create('apps/v1', 'ReplicaSet', `${name}-${hash}`, top)),
		);
		return { kind, pod: (i) => owners.pod(`${sets[i < 6 ? 0 : 1]!.name}-${suffix(i)}`, sets[i < 6 ? 0 : 1]) };
	}

	it('makes one request for each workload and signal (of a StatefulSet for each pod), with exact counts, on three replicas of which one may look nothing up and one has just started', async () => {
		const PODS = 12;
		const SIGNALS = ['KubePodCrashLooping', 'KubePodNotReady'];
		const workloads = await Promise.all(WORKLOADS.map(workload));
		const ready = [0, 1];
		const late = gateways.start('gateway-late').then(() => ready.push(2));
		/** By incident: a Deployment's `storm-deployment`, a StatefulSet's `storm-statefulset-1`. */
		const incidentOf = (signal: string, pod: string) =>
			`${signal} ${/^storm-statefulset-\d|^storm-[a-z]+/.exec(pod)?.[0]}`;
		const sent = new Map<string, number>();
		const storm = workloads.map(async ({ pod }) => {
			for (let i = 0; i < PODS; i++) {
				const made = await pod(i);
				if (i === PODS / 2) await late;
				const firing = ready.flatMap((process) =>
					SIGNALS.map((alertname) => {
						const incident = incidentOf(alertname, made.name);
						sent.set(incident, (sent.get(incident) ?? 0) + 1);
						return fire(made.name, { alertname, to: process, more: { storm: 'yes' } });
					}),
				);
				// Some are gone before their alert is handled, and all of them before the next one comes.
				if (i % 3 === 0) await Promise.all([owners.remove(made), ...firing]);
				else {
					await Promise.all(firing);
					await owners.remove(made);
				}
			}
		});
		await Promise.all(storm);
		const requests = (await gateways.requests()).filter(({ spec }) => spec.signalLabels?.['storm'] === 'yes');
		const counted = new Map<string, number[]>();
		for (const request of requests) {
			const { signalName, subject, targetSource } = request.spec;
			const incident = incidentOf(signalName, subject!.name);
			counted.set(incident, [...(counted.get(incident) ?? []), ...occurrences([request])]);
			const kind = WORKLOADS.find((each) => subject!.name.startsWith(`storm-${each.toLowerCase()}`))!;
			// The workload, unless the replica that made the request could not know it any more, or never may.
			const isUnknown = targetSource === 'Forbidden' || targetSource === 'Gone';
			const want = isUnknown ? `Pod/${subject!.name}` : `${kind}/storm-${kind.toLowerCase()}`;
			expect(targetOf(request)).toBe(`${want} ${targetSource}`);
		}
		expect(sent.size).toBe(SIGNALS.length * (WORKLOADS.length - 1 + 3));
		expect(counted).toEqual(new Map([...sent].map(([incident, count]) => [incident, [count]])));
	}, 240_000);
});

describe('after a restart', () => {
	it('the end of an alert about a pod that is gone resolves its request', async () => {
		const { top, replicaSet } = await deployment('restarted');
		const pod = await owners.pod(`${replicaSet.name}-x2x8p`, replicaSet);
		await fire(pod.name, { alertname: 'Restarted' });
		for (const each of [pod, replicaSet, top]) await owners.remove(each);
		await gateways.processes[0]!.stop();
		await gateways.start('gateway-0');
		const to = gateways.processes.length - 1;
		await fire(pod.name, { alertname: 'Restarted', to, endsAt: '2026-11-16T20:30:00.000Z' });
		const [request] = await requestsOf('Restarted');
		expect(request && targetOf(request)).toBe('Deployment/restarted Owner');
		expect(request?.status.signalResolvedAt).toBe('2026-11-16T20:30:00.000Z');
	});
});
