// Which steps may come next: of the processes, of writes that lost their way, and of the adversary.
import { counterKeeping, endings, retention } from './adversary.ts';
import { short, Violation } from './promises.ts';
import type { Mutation, ProcessNode, ProcessTrees } from './signal-process.ts';
import { type Answer, type Request, type Store, serve } from './store-model.ts';
import {
	activeUids,
	type Move,
	type Rules,
	type Running,
	spent,
	tidied,
	type World,
	withEntry,
	witness,
} from './world.ts';

export function moves(world: World, rules: Rules, trees: ProcessTrees, mutation: Mutation = {}): Move[] {
	const ofProcesses = world.processes.flatMap((process, index) =>
		process.at === undefined ? starts(world, rules, trees, index) : steps(world, rules, index, process.at),
	);
	return [
		...ofProcesses,
		...astraySteps(world, rules),
		...endings(world, rules),
		...retention(world, rules),
		...counterKeeping(world, rules, mutation),
	];
}

function starts(world: World, rules: Rules, trees: ProcessTrees, index: number): Move[] {
	const { processes, store } = world;
	// Processes that were never at work are alike: they may as well begin in order.
	if (world.left.signals === 0 || processes[index - 1]?.lives === 0) return [];
	const lives = (processes[index]?.lives ?? 0) + 1;
	const before = processes[index]?.rested;
	if (rules.sendings !== undefined) return sendings(world, rules, trees, index, lives);
	if (before !== undefined)
		return [
			{
				label: `P${index + 1} gets another signal`,
				make: async () => {
					const at = { node: await before.signalled(), began: false, witnessed: [] };
					return { ...spent(world, 'signals'), processes: processes.with(index, { lives: lives - 1, at }) };
				},
			},
		];
	return [
		{
			label: `P${index + 1} takes its view`,
			make: async () => {
				const node = await trees.start(`P${index + 1}`, lives, store);
				const at = { node, began: false, witnessed: [] };
				return { ...spent(world, 'signals'), processes: processes.with(index, { lives, at }) };
			},
		},
	];
}

/** One of those that are not sent yet. */
function sendings(world: World, rules: Rules, trees: ProcessTrees, index: number, lives: number): Move[] {
	const { processes, store, sent, acknowledged } = world;
	return (rules.sendings ?? []).flatMap(({ alert, after }, sending) => {
		if (sent.includes(sending) || (after !== undefined && !acknowledged.includes(after))) return [];
		return [
			{
				label: `P${index + 1} gets sending ${sending}: ${alert.id} ${alert.endsAt === undefined ? 'fires' : 'ends'}`,
				make: async () => {
					const node = await trees.start(`P${index + 1}`, lives, store, alert);
					const at = { node, began: false, witnessed: [], sending };
					const began = { ...spent(world, 'signals'), sent: [...sent, sending].toSorted((a, b) => a - b) };
					const started = { ...began, processes: processes.with(index, { lives, at }) };
					// An end that is known already needs no call.
					return 'result' in node.step ? settled(started, rules, index, node) : started;
				},
			},
		];
	});
}

function steps(world: World, rules: Rules, index: number, { node }: Running): Move[] {
	if (!('request' in node.step)) throw new Error('a process that has its result is not at work');
	const { request } = node.step;
	const pod = `P${index + 1}`;
	const found: Move[] = [
		{
			label: `${pod}: ${describeRequest(request)}`,
			make: () => {
				const { store, answer } = serve(world.store, request, rules.schema);
				return answered({ ...world, store }, rules, index, answer, world.store);
			},
		},
		{ label: `${pod} crashes`, make: () => rested({ ...world, cutOff: world.cutOff + 1 }, index) },
	];
	if (world.left.lostAnswers > 0 && ['create', 'patch', 'adjust'].includes(request.verb))
		found.push({
			label: `${pod}: ${describeRequest(request)}, without an answer`,
			make: () => {
				const astray = [...world.astray, { by: index, request }];
				const lost = { fault: 'KUBE_TIMEOUT' } as const;
				return answered({ ...spent(world, 'lostAnswers'), astray }, rules, index, lost, world.store);
			},
		});
	if (world.left.catchUps > 0 && node.view.links !== world.store.links)
		found.push({
			label: `${pod}'s watch catches up`,
			make: async () => withNode(spent(world, 'catchUps'), index, await node.caughtUp(world.store)),
		});
	return found;
}

function astraySteps(world: World, { schema }: Rules): Move[] {
	return world.astray.flatMap(({ by, request }, index) => {
		const without = { ...world, astray: world.astray.toSpliced(index, 1) };
		return [
			{
				label: `late, P${by + 1}: ${describeRequest(request)}`,
				make: () => tidied(witness({ ...without, store: serve(world.store, request, schema).store })),
			},
			{ label: `never, P${by + 1}: ${describeRequest(request)}`, make: () => tidied(without) },
		];
	});
}

async function answered(world: World, rules: Rules, index: number, answer: Answer, before: Store): Promise<World> {
	const running = world.processes[index]?.at;
	if (running === undefined) throw new Error('only a process at work gets answers');
	const pending = running.node.answered(answer);
	const node = pending instanceof Promise ? await pending : pending;
	const witnessed = running.began ? running.witnessed : activeUids(before);
	const seen = witness(withNode(world, index, node, { began: true, witnessed }));
	return 'result' in node.step ? settled(seen, rules, index, node) : seen;
}

function settled(world: World, { processesRemember }: Rules, index: number, node: ProcessNode): World {
	const { step, timedOut, lastLink } = node;
	const memory = processesRemember ? node : undefined;
	if (!('result' in step)) throw new Error('it is not settled');
	const { result } = step;
	if (result.outcome === 'deferred' && timedOut) return rested({ ...world, cutOff: world.cutOff + 1 }, index, memory);
	if (result.outcome === 'deferred' || result.outcome === 'rejected')
		throw new Violation(`a valid signal was ${result.outcome}: ${result.message}`);
	const sending = world.processes[index]?.at?.sending;
	const answeredWorld =
		sending === undefined
			? world
			: { ...world, acknowledged: [...world.acknowledged, sending].toSorted((a, b) => a - b) };
	if (result.outcome !== 'created' && result.outcome !== 'duplicate') return rested(answeredWorld, index, memory);
	const uid = lastLink?.uid ?? 'nothing';
	if (!world.processes[index]?.at?.witnessed.includes(uid))
		throw new Violation(`a signal was put on ${short(uid)}, which was not active at any moment since it came`);
	const stored = withEntry(world.stored, uid, (world.stored[uid] ?? 0) + 1);
	return rested({ ...answeredWorld, stored }, index, memory);
}

function rested(world: World, index: number, memory?: ProcessNode): World {
	const lives = world.processes[index]?.lives ?? 0;
	return tidied({ ...world, processes: world.processes.with(index, { lives, at: undefined, rested: memory }) });
}

function withNode(world: World, index: number, node: ProcessNode, more: Partial<Running> = {}): World {
	const process = world.processes[index];
	if (process?.at === undefined) throw new Error('only a process at work goes on');
	const at = { ...process.at, node, ...more };
	return { ...world, processes: world.processes.with(index, { ...process, at }) };
}

function describeRequest(request: Request): string {
	if (request.verb === 'list') return 'list';
	if (request.verb === 'adjust') return `count on ${short(request.name)}: ${JSON.stringify(request.changes)}`;
	if (request.verb !== 'patch') return `${request.verb} ${short(request.name)}`;
	const what = 'announce the successor on';
	return `${what} ${short(request.name)}${request.version === undefined ? '' : ` at version ${request.version}`}`;
}
