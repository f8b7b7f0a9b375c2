// What the look-up of a target costs: alerts about a pod of a Deployment, whose owners are read when a request is made,
// against alerts that name the Deployment. Both are new incidents, in turn, on the same replicas.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit/apply';
import { alertAbout, webhookBody } from '../signal-request.ts';
import type { Arena, Contestant } from './arena.ts';
import { callsDuring } from './call-count.ts';
import { expectCreated, type SignalAnswer } from './signal-load.ts';
import { percentile } from './statistics.ts';

/** p50 in ms, of requests that are made and of signals that join one. */
export type OwnerRound = {
	readonly named: number;
	readonly owned: number;
	readonly namedJoin: number;
	readonly ownedJoin: number;
};

const NAMESPACE = 'shop';
const DEPLOYMENT = 'owned';
const REPLICA_SET = `${DEPLOYMENT}-7d4b9c55f6`;
const POD = `${REPLICA_SET}-x2x8p`;
const SIGNALS_PER_ROUND = 40;
// As for distinct signals: the release of the lock is over before the next one comes.
const GAP_MS = 15;
let lastNumber = 0;

export async function measureOwners(arena: Arena, ours: Contestant, rounds: number): Promise<OwnerRound[]> {
	await createOwners(arena);
	const measured: OwnerRound[] = [];
	for (let round = 0; round < rounds; round++) {
		const named = await oneByOne(() => ours.load.post(aboutDeployment(freshName())), expectCreated);
		const owned = await oneByOne(() => ours.load.post(aboutPod(freshName())), expectCreated);
		const again = freshName();
		for (const body of [aboutDeployment(again), aboutPod(again)]) await ours.load.post(body);
		const namedJoin = await oneByOne(() => ours.load.post(aboutDeployment(again)), expectJoined);
		const ownedJoin = await oneByOne(() => ours.load.post(aboutPod(again)), expectJoined);
		measured.push({ named, owned, namedJoin, ownedJoin });
	}
	return measured;
}

/** Reads of owners by signals that join a request: there must be none. */
export async function countJoinLookUps(arena: Arena, ours: Contestant): Promise<number> {
	const again = freshName();
	await ours.load.post(aboutPod(again));
	const { calls } = await callsDuring(arena.auditLog, { ...ours, namespace: NAMESPACE }, () =>
		oneByOne(() => ours.load.post(aboutPod(again)), expectJoined),
	);
	return calls.length;
}

async function oneByOne(send: () => Promise<SignalAnswer>, check: (answer: SignalAnswer) => void): Promise<number> {
	const measured: number[] = [];
	for (let i = 0; i < SIGNALS_PER_ROUND; i++) {
		const answer = await send();
		check(answer);
		measured.push(answer.ms);
		await delay(GAP_MS);
	}
	return percentile(measured, 0.5);
}

/** Another name of an alert is another incident. */
function freshName(): string {
	return `Owned${++lastNumber}`;
}
function aboutDeployment(alertname: string): string {
	return webhookBody(alertAbout(DEPLOYMENT, alertname));
}
function aboutPod(alertname: string): string {
	const { labels, ...alert } = alertAbout(DEPLOYMENT, alertname);
	const { deployment: _, ...rest } = labels;
	return webhookBody({ ...alert, labels: { ...rest, pod: POD } });
}

function expectJoined(answer: SignalAnswer): void {
	if (answer.status !== 202) throw new Error(`a repeated signal was answered with ${answer.status}: ${answer.text}`);
}

async function createOwners({ api }: Pick<Arena, 'api'>): Promise<void> {
	await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
	await applyObject(api, {
		apiVersion: 'v1',
		kind: 'ServiceAccount',
		metadata: { name: 'default', namespace: NAMESPACE },
	});
	const labels = { app: DEPLOYMENT };
	const spec = { containers: [{ name: 'main', image: 'registry.example.org/app:1' }] };
	const workload = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } };
	const apps = `/apis/apps/v1/namespaces/${NAMESPACE}`;
	const create = (path: string, name: string, body: object, owner?: KubeObject) => {
		const ownerReferences =
			owner === undefined
				? []
				: [
						{
							apiVersion: 'apps/v1',
							kind: owner.kind,
							name: owner['metadata'].name,
							uid: owner['metadata'].uid,
							controller: true,
						},
					];
		return api.call('POST', path, { body: { metadata: { name, labels, ownerReferences }, spec: body } });
	};
	const deployment = await create(`${apps}/deployments`, DEPLOYMENT, workload);
	const replicaSet = await create(`${apps}/replicasets`, REPLICA_SET, workload, deployment);
	await create(`/api/v1/namespaces/${NAMESPACE}/pods`, POD, spec, replicaSet);
}
