// Faults at random moments: replicas killed, replicas stopped past their lease, the API server restarted. Never do two
// executions hold a target, no request is lost, and every request ends in a phase that explains itself.
// `npm run robustness -- orchestrator --rounds 50` runs many rounds; `npm test` one of each fault. KUBERNAUT_SEED
// repeats a run's choices (not its timing).
import { setTimeout as delay } from 'node:timers/promises';
import { type ControlPlane, KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { appKubeconfig, applyCrds } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { PlayedExecutor } from './harness/played-executor.ts';
import { World } from './harness/world.ts';

const ASKED_ROUNDS = process.env['KUBERNAUT_ROBUSTNESS_ROUNDS'];
const ROUNDS = Number(ASKED_ROUNDS ?? 3);
const SEED = Number(process.env['KUBERNAUT_SEED'] ?? Math.floor(Math.random() * 1e9));
const LEASE_MS = 6000;
const REPLICAS = 3;
const SCALE = ASKED_ROUNDS === undefined ? 1 : 2; // a run with rounds has the time
const ON_ONE_TARGET = 50 * SCALE;
const TARGETS = 100 * SCALE;
// From the first request that was taken on: while they are created, decided, run and ended.
const STRIKES_WITHIN_MS = 5000;
const WAIT = { timeout: 120_000, interval: 250 };
const ENV = {
	LOCK_LEASE_DURATION: `${LEASE_MS}ms`,
	KUBERNETES_REQUEST_TIMEOUT: '1400ms', // the longest that this lease allows
	RESOURCE_LOCKING_COOLDOWN_PERIOD: '500ms',
};

const random = createRandom(SEED);
let controlPlane: ControlPlane;
let world: World;
let executor: PlayedExecutor;
let pods = 0;

beforeAll(async () => {
	console.log(`KUBERNAUT_SEED=${SEED}`);
	controlPlane = await startControlPlane();
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	await applyCrds(api);
	const namespace = 'robustness';
	await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
	const kubeconfig = await appKubeconfig(api, 'orchestrator', namespace, controlPlane.kubeconfigPath);
	world = new World(api, namespace, kubeconfig, ENV);
	await world.createWorkflow('restart', { signalNames: ['CrashLooping'] });
	await world.createWorkflow('scale', { signalNames: ['TooSlow'] });
	await Promise.all(Array.from({ length: REPLICAS }, startReplica));
	executor = new PlayedExecutor(world, 150);
}, 1_800_000);

afterAll(async () => {
	await executor?.stop();
	await world?.stop();
	await world?.api.close();
	await controlPlane?.stop();
});

const uidOf = ({ metadata }: RemediationRequest): string => metadata.uid;
async function startReplica(): Promise<void> {
	await world.start(`orchestrator-${pods++}`);
}

const FAULTS = {
	async 'a replica is killed'() {
		const [killed] = world.processes.splice(Math.floor(random() * REPLICAS), 1);
		killed?.signal('SIGKILL');
		await startReplica();
	},
	async 'a replica is stopped past its lease'() {
		const stopped = world.processes[Math.floor(random() * REPLICAS)];
		stopped?.signal('SIGSTOP');
		await delay(LEASE_MS * 1.5);
		stopped?.signal('SIGCONT');
	},
	async 'the API server is restarted'() {
		// Killed: on SIGTERM it would wait a minute for the watches.
		await controlPlane.apiServer?.stop('SIGKILL');
		await controlPlane.apiServer?.start();
	},
};

describe('faults at random moments', () => {
	const names = Object.keys(FAULTS) as (keyof typeof FAULTS)[];
	it.each(Array.from({ length: ROUNDS }, (_, round) => ({ round, fault: names[round % names.length]! })))(
		'round $round: $fault',
		async ({ round, fault }) => {
			const signalOf = (i: number) => (i % 5 === 0 ? 'TooSlow' : 'CrashLooping');
			const shared = Array.from({ length: ON_ONE_TARGET }, (_, i) =>
				world.createRequest({ target: `shop/Deployment/shared-${round}`, signalName: signalOf(i) }),
			);
			const single = Array.from({ length: TARGETS }, (_, i) =>
				world.createRequest({ target: `shop/Pod/single-${round}-${i}`, signalName: 'CrashLooping' }),
			);
			const creates = [...shared, ...single];
			const strikesAfterMs = random() * STRIKES_WITHIN_MS;
			const striking = Promise.any(creates)
				.then(() => delay(strikesAfterMs))
				.then(() => FAULTS[fault]());
			const [answers] = await Promise.all([Promise.allSettled(creates), striking]);
			const taken = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => uidOf(value));
			const notEnded = (requests: readonly RemediationRequest[]) =>
				requests
					.filter(({ status }) => status?.completedAt === undefined)
					.map(({ status }) => status?.blockMessage ?? 'untouched');
			await expect.poll(async () => notEnded(await world.requests()), WAIT).toEqual([]);
			await executor.settled();

			const ended = await world.requests();
			// Some may be refused by an API server that is away, or be stored although the answer was lost.
			const leastTaken = fault === 'the API server is restarted' ? 1 : ON_ONE_TARGET + TARGETS;
			expect(taken.length).toBeGreaterThanOrEqual(leastTaken);
			const endedUids = new Set(ended.map(uidOf));
			expect(taken.filter((uid) => !endedUids.has(uid))).toEqual([]);
			expect(executor.overlaps()).toEqual([]);
			for (const { metadata, spec, status } of ended) {
				expect(['Completed', 'Skipped']).toContain(status.overallPhase);
				expect(status.conditions?.map(({ message }) => message)).not.toContain('');
				const isAlone = spec.targetResource.kind === 'Pod';
				const wantRuns = isAlone || status.overallPhase === 'Completed' ? 1 : 0;
				expect(executor.ranFor(metadata.uid), `${metadata.name} is ${status.overallPhase}`).toBe(wantRuns);
			}
			await world.removeAll();
		},
		400_000,
	);
});

/** mulberry32: enough to choose by, and the same for the same seed. */
function createRandom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
