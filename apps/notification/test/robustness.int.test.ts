// Faults at random moments: replicas killed, replicas stopped past claim and lease, the API server restarted. With
// `atLeastOnce` no message is lost, and one that arrives twice had an end that was not known; with `atMostOnce` none arrives twice.
// `npm run robustness -- notification --rounds 50` runs many rounds; `npm test` one of each fault. KUBERNAUT_SEED repeats a
// run's choices (not its timing).
import { setTimeout as delay } from 'node:timers/promises';
import { type ControlPlane, KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { appKubeconfig, applyCrds, scratchDirectory } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NotificationRequest } from '../src/generated/notification-request.ts';
import { World } from './harness/world.ts';

const ROUNDS = Number(process.env['KUBERNAUT_ROBUSTNESS_ROUNDS'] ?? 3);
const SEED = Number(process.env['KUBERNAUT_SEED'] ?? Math.floor(Math.random() * 1e9));
const REPLICAS = 3;
const MESSAGES = 24;
const LEASE_MS = 8000;
const CLAIM_MS = 6000;
const STRIKES_WITHIN_MS = 3000;
const WAIT = { timeout: 180_000, interval: 250 };
/** Long enough that a strike finds messages on their way. */
const ANSWER_MS = 150;
const AT_LEAST_ONCE = ['slack', 'webhook'] as const;
const AT_MOST_ONCE = 'email';
const ENV = {
	USE_DISTRIBUTED_LOCKING: 'true',
	LOCK_LEASE_DURATION: `${LEASE_MS}ms`,
	DELIVERY_CLAIM_TIMEOUT: `${CLAIM_MS}ms`,
	DELIVERY_SEND_TIMEOUT: '3s',
	DELIVERY_AT_MOST_ONCE: AT_MOST_ONCE,
	KUBERNETES_REQUEST_TIMEOUT: '1400ms',
	PACE_SLACK: '100ms',
};

const random = createRandom(SEED);
let controlPlane: ControlPlane;
let receivers: ReceiverSet;
let world: World;
let pods = 0;

beforeAll(async () => {
	console.log(`KUBERNAUT_SEED=${SEED}`);
	controlPlane = await startControlPlane();
	const api = KubeApi.fromFile(controlPlane.kubeconfigPath);
	await applyCrds(api);
	const namespace = 'robustness';
	await api.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
	const kubeconfig = await appKubeconfig(api, 'notification', namespace, controlPlane.kubeconfigPath);
	receivers = await startReceiverSet(await scratchDirectory());
	receivers.slack.behave({ status: 200, body: 'ok', afterMs: ANSWER_MS });
	receivers.webhook.behave({ status: 204, afterMs: ANSWER_MS });
	receivers.mail.behave({ afterMs: ANSWER_MS });
	world = new World(api, namespace, kubeconfig, { ...receivers.environment, ...ENV });
	await Promise.all(Array.from({ length: REPLICAS }, startReplica));
}, 1_800_000);

afterAll(async () => {
	await world?.stop();
	await receivers?.close();
	await world?.api.close();
	await controlPlane?.stop();
});

async function startReplica(): Promise<void> {
	await world.start(`notification-${pods++}`);
}

const FAULTS = {
	async 'a replica is killed'() {
		const [killed] = world.processes.splice(Math.floor(random() * REPLICAS), 1);
		killed?.signal('SIGKILL');
		await startReplica();
	},
	async 'a replica is stopped past its claims and its lease'() {
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
			const startedAt = performance.now();
			const creates = Array.from({ length: MESSAGES }, (_, i) =>
				world.create(
					{
						channels: [...AT_LEAST_ONCE, AT_MOST_ONCE],
						retryPolicy: { maxAttempts: 20, initialBackoff: '500ms', maxBackoff: '2s' },
					},
					`round-${round}-message-${i}`,
				),
			);
			const strikesAfterMs = random() * STRIKES_WITHIN_MS;
			const striking = Promise.any(creates)
				.then(() => delay(strikesAfterMs))
				.then(() => FAULTS[fault]());
			await Promise.all([Promise.allSettled(creates), striking]);
			const ofRound = async () =>
				(await world.all()).filter(({ metadata }) => metadata.name.startsWith(`round-${round}-`));
			// Some may be refused by an API server that is away.
			await expect
				.poll(
					async () => (await ofRound()).filter(({ status }) => status?.completedAt === undefined).map(describeStatus),
					WAIT,
				)
				.toEqual([]);

			const ended = await ofRound();
			expect(ended.length).toBeGreaterThanOrEqual(fault === 'the API server is restarted' ? 1 : MESSAGES);
			for (const request of ended) {
				for (const channel of AT_LEAST_ONCE) {
					const { state, attempt } = entryOf(request, channel);
					const times = arrivedAt(channel, request.metadata.name);
					expect({ channel, state, lost: times === 0 }, request.metadata.name).toEqual({
						channel,
						state: 'Delivered',
						lost: false,
					});
					// A message is sent once for each attempt at most.
					expect(times, describeStatus(request)).toBeLessThanOrEqual(attempt);
				}
				const { state, reason } = entryOf(request, AT_MOST_ONCE);
				const times = arrivedAt(AT_MOST_ONCE, request.metadata.name);
				expect(times, describeStatus(request)).toBeLessThanOrEqual(1);
				// Not delivered means that it is not known; delivered means that it arrived.
				expect(state === 'Delivered' ? times : reason, describeStatus(request)).toBe(
					state === 'Delivered' ? 1 : 'OutcomeUnknown',
				);
			}
			const unknown = ended.filter((request) => entryOf(request, AT_MOST_ONCE).state !== 'Delivered').length;
			const tookSeconds = Math.round((performance.now() - startedAt) / 1000);
			console.log(
				`round ${round}: ${fault} after ${Math.round(strikesAfterMs)} ms: ${ended.length} messages, ${unknown} with an unknown end on ${AT_MOST_ONCE}; all ended within ${tookSeconds} s`,
			);
		},
		400_000,
	);
});

function entryOf({ status }: NotificationRequest, channel: string) {
	return (
		status?.deliveries?.find((entry) => entry.channel === channel) ?? {
			state: 'none' as const,
			reason: undefined,
			attempt: 0,
		}
	);
}

function arrivedAt(channel: string, name: string): number {
	// A name ends with a number: one must not be the beginning of another.
	const named = new RegExp(`${name}(?!\\d)`);
	const texts =
		channel === 'slack'
			? receivers.slack.received.map(({ body }) => body)
			: channel === 'webhook'
				? receivers.webhook.received.map(({ body }) => body)
				: receivers.mail.received.map(({ subject }) => subject);
	return texts.filter((text) => named.test(text)).length;
}

function describeStatus({ metadata, status }: NotificationRequest): string {
	return `${metadata.name}: ${JSON.stringify(status)}`;
}

/** Small and good enough to choose moments (mulberry32). */
function createRandom(seed: number): () => number {
	let state = seed >>> 0;
	return () => {
		state = (state + 0x6d2b79f5) >>> 0;
		let mixed = state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}
