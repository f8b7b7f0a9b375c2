// Every order of what two pods, the API server, the lock and the receiver do, with crashes, pauses and lost time within a
// budget. Breadth first: a counterexample is one of the shortest. Every stored state is also brought to its end without
// interference: a message that is not settled then is lost.
// Assumed of the network: a send that has begun arrives at once, or not at all.
import { hash } from 'node:crypto';
import type { UnknownEndPolicy } from '../../src/decide/delivery-entry.ts';
import type { NotificationRequest } from '../../src/generated/notification-request.ts';
import { anObject } from '../harness/made-up.ts';
import { type Call, CHANNEL, type Met, type Mutation, type PodSpec, type PodState, replay, TIMES } from './pod.ts';

export type Rules = {
	readonly pods: number;
	readonly policy: UnknownEndPolicy;
	readonly locking: boolean;
	readonly crashes: number;
	/** Steps of time that are longer than a claim. */
	readonly longSteps: number;
	readonly shortSteps: number;
};
export type Exploration = {
	readonly worlds: number;
	readonly runsOfTheCode: number;
	readonly maxMessages: number;
	readonly counterexample: { readonly broken: string; readonly steps: readonly string[] } | undefined;
};
type Pod = {
	readonly spec: PodSpec;
	readonly start: { readonly time: number; readonly object: NotificationRequest };
	readonly met: readonly Met[];
	readonly state: PodState;
	/** Answers that are under way, by the number of the call. */
	readonly served: ReadonlyMap<number, unknown>;
};
type World = {
	readonly time: number;
	readonly object: NotificationRequest;
	readonly lock: { readonly holder: string; readonly since: number } | undefined;
	readonly pods: readonly (Pod | undefined)[];
	readonly messages: readonly string[];
	readonly lives: number;
	readonly crashes: number;
	readonly longSteps: number;
	readonly shortSteps: number;
};
class Violation extends Error {}

const LONG = TIMES.claimTimeoutMs + 1;
const MAX_WORLDS = 400_000;
const MAX_ROUNDS = 200;

export async function explore(rules: Rules, mutation: Mutation = {}): Promise<Exploration> {
	const cache = new Map<string, Promise<PodState>>();
	const judged = new Set<string>();
	let maxMessages = 0;
	const first = await firstWorld();
	const queue: { world: World; parent: number; label: string }[] = [{ world: first, parent: -1, label: '' }];
	const known = new Set([keyOf(first)]);
	const wayTo = (index: number): string[] => {
		const visited = queue[index];
		return visited === undefined || index === 0 ? [] : [...wayTo(visited.parent), visited.label];
	};
	const result = (counterexample: Exploration['counterexample']) => ({
		worlds: known.size,
		runsOfTheCode: cache.size,
		maxMessages,
		counterexample,
	});
	for (let index = 0; index < queue.length; index++) {
		const { world } = queue[index] as (typeof queue)[number];
		try {
			await complete(world);
		} catch (error) {
			if (!(error instanceof Violation)) throw error;
			return result({ broken: error.message, steps: [...wayTo(index), 'and then without interference'] });
		}
		for (const { label, make } of moves(world))
			try {
				const next = await make();
				maxMessages = Math.max(maxMessages, next.messages.length);
				const key = keyOf(next);
				if (known.has(key)) continue;
				known.add(key);
				queue.push({ world: next, parent: index, label });
			} catch (error) {
				if (!(error instanceof Violation)) throw error;
				return result({ broken: error.message, steps: [...wayTo(index), label] });
			}
		if (known.size > MAX_WORLDS) throw new Error(`more than ${MAX_WORLDS} worlds: nothing is shown`);
	}
	return result(undefined);

	async function firstWorld(): Promise<World> {
		const empty: World = {
			time: 0,
			object: anObject({
				channels: [CHANNEL],
				retryPolicy: { maxAttempts: 5, initialBackoff: '1ms', multiplier: 1, maxBackoff: '1ms' },
			}),
			lock: undefined,
			pods: Array.from({ length: rules.pods }, () => undefined),
			messages: [],
			lives: 0,
			crashes: rules.crashes,
			longSteps: rules.longSteps,
			shortSteps: rules.shortSteps,
		};
		return empty.pods.reduce<Promise<World>>(
			async (world, _, index) => started(await world, index),
			Promise.resolve(empty),
		);
	}

	async function started(world: World, index: number): Promise<World> {
		const spec = { name: `p${index}`, life: world.lives, policy: rules.policy, locking: rules.locking, mutation };
		const start = { time: world.time, object: world.object };
		const pod = { spec, start, met: [], state: await stateOf(spec, start, []), served: new Map() };
		return withPod({ ...world, lives: world.lives + 1 }, index, pod);
	}

	function stateOf(spec: PodSpec, start: Pod['start'], row: readonly Met[]): Promise<PodState> {
		const key = hash(
			'sha1',
			JSON.stringify([
				spec.name,
				spec.life,
				start.time,
				start.object.status,
				start.object.metadata.resourceVersion,
				row,
			]),
		);
		const state = cache.get(key) ?? replay(spec, start, row);
		cache.set(key, state);
		return state;
	}

	async function met(world: World, index: number, event: Met): Promise<World> {
		const pod = world.pods[index] as Pod;
		const all = [...pod.met, event];
		const served = new Map(pod.served);
		if ('call' in event) served.delete(event.call);
		return withPod(world, index, { ...pod, met: all, served, state: await stateOf(pod.spec, pod.start, all) });
	}

	function moves(world: World): { label: string; make: () => Promise<World> }[] {
		const found: { label: string; make: () => Promise<World> }[] = [];
		for (const [index, pod] of world.pods.entries()) {
			if (pod === undefined) {
				found.push({ label: `p${index} starts`, make: () => started(world, index) });
				continue;
			}
			for (const [number, call] of pod.state.open)
				if (pod.served.has(number))
					found.push({
						label: `p${index} gets the answer to ${call.do}`,
						make: () => met(world, index, { time: world.time, call: number, answer: pod.served.get(number) }),
					});
				else if (call.do !== 'send' || call.at === world.time)
					found.push({
						label: `${call.do} of p${index} is served`,
						make: async () => serve(world, index, number, call),
					});
			if (world.crashes > 0)
				found.push({
					label: `p${index} crashes`,
					make: async () => withPod({ ...world, crashes: world.crashes - 1 }, index, undefined),
				});
		}
		const paused = [undefined, ...world.pods.keys()];
		if (world.longSteps > 0)
			for (const one of paused)
				found.push({
					label: `time passes${one === undefined ? '' : `, p${one} stands still`}`,
					make: () => later({ ...world, longSteps: world.longSteps - 1 }, LONG, one),
				});
		if (world.shortSteps > 0)
			for (const one of paused)
				found.push({
					label: `a moment passes${one === undefined ? '' : `, p${one} stands still`}`,
					make: () => later({ ...world, shortSteps: world.shortSteps - 1 }, TIMES.sendTimeoutMs, one),
				});
		return found;
	}

	/** Those that do not stand still see what is stored, and their timers fire. */
	async function later(world: World, by: number, paused: number | undefined): Promise<World> {
		let next: World = { ...world, time: world.time + by };
		for (const [index, pod] of world.pods.entries())
			if (pod !== undefined && index !== paused) next = await met(next, index, { time: next.time, seen: next.object });
		return next;
	}

	/** The effect; its answer is under way then. */
	function serve(world: World, index: number, number: number, call: Call): World {
		const pod = world.pods[index] as Pod;
		const answered = (next: World, answer: unknown) =>
			withPod(next, index, { ...pod, served: new Map([...pod.served, [number, answer]]) });
		const me = `${pod.spec.name} ${pod.spec.life}`;
		switch (call.do) {
			case 'get':
				return answered(world, world.object);
			case 'patch': {
				const { resourceVersion } = world.object.metadata;
				if (call.version !== resourceVersion) return answered(world, 'changed');
				const object: NotificationRequest = {
					...world.object,
					metadata: { ...world.object.metadata, resourceVersion: String(Number(resourceVersion) + 1) },
					status: { ...world.object.status, ...call.status },
				};
				judgeStatus(object, world.messages);
				return answered({ ...world, object }, object);
			}
			case 'acquire': {
				const free = world.lock === undefined || world.time - world.lock.since >= TIMES.leaseMs;
				if (!free)
					return answered(world, { outcome: 'contended', holder: world.lock?.holder, retryAfterMs: TIMES.leaseMs });
				return answered({ ...world, lock: { holder: me, since: world.time } }, { outcome: 'acquired' });
			}
			case 'release':
				return answered(world.lock?.holder === me ? { ...world, lock: undefined } : world, undefined);
			case 'send': {
				const entry = world.object.status?.deliveries?.find(({ channel }) => channel === CHANNEL);
				if (entry?.state !== 'Claimed' || entry.claimedBy !== call.claimedBy)
					throw new Violation('a message was sent under a claim that is another’s');
				const messages = [...world.messages, call.claimedBy];
				if (rules.policy === 'atMostOnce' && messages.length > 1)
					throw new Violation('sent twice, at most once was asked for');
				return answered({ ...world, messages }, { end: 'delivered' });
			}
		}
	}

	function judgeStatus(object: NotificationRequest, messages: readonly string[]): void {
		const entry = object.status?.deliveries?.find(({ channel }) => channel === CHANNEL);
		if (entry?.state === 'Delivered' && messages.length === 0) throw new Violation('Delivered, and nothing was sent');
		if (rules.policy === 'atLeastOnce' && entry?.final === true)
			throw new Violation('given up, at least once was asked for');
	}

	/** From the stored state alone: pods that are there have died, and two new ones do the rest. */
	async function complete(world: World): Promise<void> {
		const key = JSON.stringify([
			world.object.status,
			world.object.metadata.resourceVersion,
			world.messages.length,
			world.lock === undefined,
		]);
		if (judged.has(key)) return;
		judged.add(key);
		let now: World = { ...world, pods: world.pods.map(() => undefined), lives: 100 + world.lives };
		now = await started(await started(now, 0), 1 % rules.pods);
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const { phase } = now.object.status ?? {};
			if (phase === 'Sent' || phase === 'Failed') return judgeEnd(now);
			const busy = now.pods
				.flatMap((pod, index) =>
					pod === undefined ? [] : [...pod.state.open].map(([number, call]) => ({ index, number, call })),
				)
				.filter(
					({ index, number, call }) =>
						call.do !== 'send' || call.at === now.time || now.pods[index]?.served.has(number),
				);
			const [next] = busy;
			if (next === undefined) now = await later(now, LONG, undefined);
			else {
				const pod = now.pods[next.index] as Pod;
				if (!pod.served.has(next.number)) now = serve(now, next.index, next.number, next.call);
				const answer = (now.pods[next.index] as Pod).served.get(next.number);
				now = await met(now, next.index, { time: now.time, call: next.number, answer });
			}
		}
		throw new Violation(`the message is never settled: ${JSON.stringify(now.object.status?.deliveries)}`);
	}

	function judgeEnd({ object, messages }: World): void {
		if (rules.policy === 'atLeastOnce' && messages.length === 0) throw new Violation('the message is lost');
		const entry = object.status?.deliveries?.find(({ channel }) => channel === CHANNEL);
		if (entry?.final === true && entry.reason !== 'OutcomeUnknown') throw new Violation('given up for another reason');
	}
}

function withPod(world: World, index: number, pod: Pod | undefined): World {
	return { ...world, pods: world.pods.map((one, at) => (at === index ? pod : one)) };
}

function keyOf({ pods, ...world }: World): string {
	const ofPods = pods.map((pod) =>
		pod === undefined
			? 0
			: [pod.spec.life, pod.start.time, pod.start.object.metadata.resourceVersion, pod.met, [...pod.served]],
	);
	return hash('sha1', JSON.stringify([world, ofPods]));
}
