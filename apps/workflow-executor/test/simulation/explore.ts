// All interleavings, breadth first: a counterexample is one of the shortest. Wherever no executor is at work, everything that
// is left is also done in order, without interference: a target that is stuck then is a violation as well.
import { hash } from 'node:crypto';
import { interference, machinery } from './environment.ts';
import { type Mutation, ProcessTrees } from './executor-process.ts';
import { serve } from './model-kube.ts';
import { judge, judgeEnd, Violation } from './promises.ts';
import { firstWorld, type Move, type Rules, spent, type World, withProcess } from './world.ts';

export type Exploration = {
	readonly worlds: number;
	readonly depth: number;
	readonly runsOfTheCode: number;
	readonly counterexample: { readonly broken: string; readonly steps: readonly string[] } | undefined;
};
type Visited = { readonly world: World; readonly parent: number; readonly label: string; readonly depth: number };

const MAX_WORLDS = 3_000_000;
/** Of a target without interference. */
const MAX_ROUNDS = 60;

/** It is exhaustive or it fails: more worlds than the limit are a fault of the caller. */
export async function explore(rules: Rules, mutation: Mutation = {}): Promise<Exploration> {
	const trees = new ProcessTrees(mutation);
	const first = firstWorld(rules);
	const queue: (Visited | undefined)[] = [{ world: first, parent: -1, label: '', depth: 0 }];
	const ways: { parent: number; label: string }[] = [];
	const known = new Set([keyOf(first)]);
	const completed = new Set<string>();
	let depth = 0;
	const found = (broken: string, steps: readonly string[]): Exploration => ({
		worlds: known.size,
		depth,
		runsOfTheCode: trees.size,
		counterexample: { broken, steps },
	});
	for (let index = 0; index < queue.length; index++) {
		const visited = queue[index];
		if (visited === undefined) throw new Error('every world is visited once');
		queue[index] = undefined; // the worlds would fill the memory; the ways are enough
		ways.push({ parent: visited.parent, label: visited.label });
		({ depth } = visited);
		const { world } = visited;
		const stuck = await completion(world, trees, completed);
		if (stuck !== undefined)
			return found(stuck.broken, [...wayTo(index, ways), 'and then, without interference:', ...stuck.steps]);
		for (const { label, make } of moves(world, rules, trees)) {
			try {
				const next = await make();
				judge(next.store, next.history, world);
				const key = keyOf(next);
				if (known.has(key)) continue;
				known.add(key);
				queue.push({ world: next, parent: index, label, depth: visited.depth + 1 });
			} catch (error) {
				if (!(error instanceof Violation)) throw error;
				return found(error.message, [...wayTo(index, ways), label]);
			}
		}
		if (known.size > MAX_WORLDS) throw new Error(`more than ${MAX_WORLDS} worlds: nothing is shown`);
	}
	return { worlds: known.size, depth, runsOfTheCode: trees.size, counterexample: undefined };
}

function moves(world: World, rules: Rules, trees: ProcessTrees): Move[] {
	return [
		...world.processes.flatMap((_, index) => ofProcess(world, rules, trees, index)),
		...machinery(world),
		...interference(world, rules),
	];
}

function ofProcess(world: World, rules: Rules, trees: ProcessTrees, index: number): Move[] {
	const { processes, store, history, left } = world;
	const process = processes[index] ?? { is: 'idle' };
	const name = `E${index + 1}`;
	if (process.is === 'idle') {
		// Idle executors are alike.
		const isFirst = processes.findIndex(({ is }) => is === 'idle') === index;
		if (left.reconciles === 0 || !isFirst) return [];
		const begun = spent(world, 'reconciles');
		const work = async () =>
			withProcess(begun, index, { is: 'working', node: await trees.start({ executions: store, runs: store }) });
		const look: Move = {
			label: `${name} sees executions`,
			make: () => withProcess(begun, index, { is: 'looking', seen: { executions: store.executions } }),
		};
		return [{ label: `${name} sees everything`, make: work }, ...(rules.viewsApart ? [look] : [])];
	}
	if (process.is === 'looking')
		return [
			{
				label: `${name} sees runs`,
				make: async () =>
					withProcess(world, index, {
						is: 'working',
						node: await trees.start({ executions: process.seen, runs: store }),
					}),
			},
		];
	const { step } = process.node;
	if ('finished' in step) return [{ label: `${name} is done`, make: () => withProcess(world, index, { is: 'idle' }) }];
	const { call } = step;
	const serveIt = async () => {
		const served = serve(store, history, call);
		const node = await process.node.answered(served.answer);
		const at = 'finished' in node.step ? ({ is: 'idle' } as const) : ({ is: 'working', node } as const);
		return withProcess({ ...world, store: served.store, history: served.history }, index, at);
	};
	const label = `${name}: ${call.verb} ${call.resource}${call.verb === 'patch' || call.verb === 'delete' ? ` ${JSON.stringify(call.body)}` : ''}`;
	return [
		{ label, make: serveIt },
		...(left.crashes > 0
			? [{ label: `${name} crashes`, make: () => withProcess(spent(world, 'crashes'), index, { is: 'idle' }) }]
			: []),
	];
}

/** Does everything that is left to do, in one order. */
async function completion(
	world: World,
	trees: ProcessTrees,
	completed: Set<string>,
): Promise<{ readonly broken: string; readonly steps: readonly string[] } | undefined> {
	if (world.processes.some(({ is }) => is !== 'idle')) return undefined;
	const steps: string[] = [];
	let current = world;
	try {
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const key = JSON.stringify([current.store, current.history]);
			if (completed.has(key)) return undefined;
			completed.add(key);
			const before = JSON.stringify(current.store);
			let node = await trees.start({ executions: current.store, runs: current.store });
			while ('call' in node.step) {
				const { call } = node.step;
				const served = serve(current.store, current.history, call);
				const next = { ...current, store: served.store, history: served.history };
				steps.push(`${call.verb} ${call.resource}`);
				judge(next.store, next.history, current);
				current = next;
				node = await node.answered(served.answer);
			}
			const machine = machinery(spentAll(current))[0];
			if (machine !== undefined) {
				const next = await machine.make();
				steps.push(machine.label);
				judge(next.store, next.history, current);
				current = next;
			} else if (JSON.stringify(current.store) === before) break;
		}
		judgeEnd(current.store);
	} catch (error) {
		if (!(error instanceof Violation)) throw error;
		return { broken: error.message, steps };
	}
	return undefined;
}

/** Tekton forgets nothing more. */
function spentAll(world: World): World {
	return { ...world, left: { ...world.left, forgottenTasks: 0 } };
}

function wayTo(index: number, ways: readonly { parent: number; label: string }[]): string[] {
	const steps: string[] = [];
	for (let at = ways[index]; at !== undefined && at.label !== ''; at = ways[at.parent]) steps.unshift(at.label);
	return steps;
}

function keyOf({ processes, ...world }: World): string {
	const at = processes.map((process) =>
		process.is === 'working' ? process.node.id : process.is === 'looking' ? process.seen : '',
	);
	return hash('sha1', JSON.stringify({ ...world, at }), 'base64');
}
