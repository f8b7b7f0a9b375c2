// All interleavings, breadth first: a counterexample is one of the shortest.
import { hash } from 'node:crypto';
import { noneFiresBehindTheMark, unmarkedAtTheEnd } from './alert-promises.ts';
import { moves } from './moves.ts';
import { judge, Violation } from './promises.ts';
import { type Mutation, ProcessTrees } from './signal-process.ts';
import { type Store, totalOf } from './store-model.ts';
import { accountsOf, firstWorld, type Rules, type World } from './world.ts';

export type Exploration = {
	readonly worlds: number;
	/** Steps of the longest of the shortest ways to a world. */
	readonly depth: number;
	/** Worlds in which nothing more can happen. */
	readonly ends: number;
	readonly runsOfTheCode: number;
	readonly counterexample: { readonly broken: string; readonly steps: readonly string[] } | undefined;
};
export type ExplorationOptions = { readonly mutation?: Mutation; readonly maxWorlds?: number };

type Visited = { readonly world: World; readonly parent: number; readonly label: string; readonly depth: number };

/** It is exhaustive or it fails: more worlds than `maxWorlds` are a fault of the caller. */
export async function explore(
	store: Store,
	rules: Rules,
	{ mutation, maxWorlds = 5_000_000 }: ExplorationOptions = {},
): Promise<Exploration> {
	const trees = new ProcessTrees(mutation);
	const opening = Object.fromEntries(store.links.map((link) => [link.uid, totalOf(link)]));
	const first = firstWorld(store, rules);
	const queue: (Visited | undefined)[] = [{ world: first, parent: -1, label: '', depth: 0 }];
	const ways: { parent: number; label: string }[] = [];
	const known = new Set([keyOf(first)]);
	let ends = 0;
	let depth = 0;
	const found = (broken: string, steps: string[]): Exploration => ({
		worlds: known.size,
		depth,
		ends,
		runsOfTheCode: trees.size,
		counterexample: { broken, steps },
	});
	for (let index = 0; index < queue.length; index++) {
		const visited = queue[index];
		if (visited === undefined) throw new Error('every world is visited once');
		queue[index] = undefined; // the worlds would fill the memory; the ways are enough
		ways.push({ parent: visited.parent, label: visited.label });
		depth = visited.depth;
		const next = moves(visited.world, rules, trees, mutation);
		if (next.length === 0) {
			ends++;
			const unmarked = rules.sendings && unmarkedAtTheEnd(visited.world, rules.sendings);
			if (unmarked !== undefined) return found(unmarked, wayTo(index, ways));
		}
		for (const { label, make } of next) {
			try {
				const made = make();
				const world = made instanceof Promise ? await made : made;
				judge(world.store, visited.world.store, accountsOf(world, opening));
				if (rules.sendings !== undefined) noneFiresBehindTheMark(world, rules.sendings);
				const key = keyOf(world);
				if (known.has(key)) continue;
				known.add(key);
				queue.push({ world, parent: index, label, depth: visited.depth + 1 });
			} catch (error) {
				if (!(error instanceof Violation)) throw error;
				return found(error.message, [...wayTo(index, ways), label]);
			}
		}
		if (known.size > maxWorlds) throw new Error(`more than ${maxWorlds} worlds: nothing is shown`);
	}
	return { worlds: known.size, depth, ends, runsOfTheCode: trees.size, counterexample: undefined };
}

function wayTo(index: number, ways: readonly { parent: number; label: string }[]): string[] {
	const steps: string[] = [];
	for (let at = ways[index]; at !== undefined && at.label !== ''; at = ways[at.parent]) steps.unshift(at.label);
	return steps;
}

function keyOf(world: World): string {
	const processes = world.processes.map(({ lives, at, rested }) => [
		lives,
		at?.node.id,
		at?.began,
		at?.witnessed,
		rested?.id,
	]);
	return hash('sha1', JSON.stringify({ ...world, processes }), 'base64');
}
