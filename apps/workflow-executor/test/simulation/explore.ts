// All interleavings, breadth first: a counterexample is one of the shortest. An executor begins work as often as it likes, and
// crashes as often as it likes, before and after every call; one that takes no step stands still.
// In every situation that can come about, what is left is also done in order by one executor, without interference: a target
// that is stuck then is a violation as well.
import { Completion } from './completion.ts';
import type { Mutation } from './executor-process.ts';
import { EMPTY_HISTORY, firstStore } from './model.ts';
import { RowTable } from './row-table.ts';
import { type Rules, Steps } from './steps.ts';

export type Exploration = {
	readonly worlds: number;
	/** Without the executors. */
	readonly situations: number;
	readonly depth: number;
	readonly runsOfTheCode: number;
	readonly counterexample: { readonly broken: string; readonly steps: readonly string[] } | undefined;
};
/** What is and has happened, what may still go wrong, and where each executor is. */
type World = Int32Array;
type Visitor = (next: World, label: string, broken: string | undefined) => boolean;

const MAX_WORLDS = 100_000_000;
const SITUATION = 0;
const LEFT = 1;
const FIRST_POINT = 2;

/** It is exhaustive or it fails: more worlds than the limit are a fault of the caller. */
export async function explore(rules: Rules, mutation: Mutation = {}): Promise<Exploration> {
	const steps = new Steps(rules, mutation);
	const completion = new Completion(steps);
	const { arrivals, runDeletions, executionDeletions, withdrawals, forgottenTasks } = rules;
	const left = steps.budgets.numberOf({ arrivals, runDeletions, executionDeletions, withdrawals, forgottenTasks });
	const store = firstStore(rules.executions, !rules.cooldown);
	const first = steps.situations.numberOf({ store, history: EMPTY_HISTORY });
	const worlds = new RowTable(FIRST_POINT + rules.processes);
	worlds.add([first, left, ...Array.from({ length: rules.processes }, () => 0)], -1);
	let depth = 0;
	let endOfDepth = 1;
	const found = (counterexample: Exploration['counterexample']): Exploration => ({
		worlds: worlds.size,
		situations: steps.situations.size,
		depth,
		runsOfTheCode: steps.code.runs,
		counterexample,
	});
	for (let index = 0; index < worlds.size; index++) {
		if (index === endOfDepth) {
			depth++;
			endOfDepth = worlds.size;
		}
		const world = worlds.row(index).slice();
		const [situation = 0] = world;
		const stuck = completion.isKnown(situation) ? undefined : await completion.of(situation);
		if (stuck !== undefined) {
			const way = await wayTo(index, worlds, steps);
			return found({ broken: stuck.broken, steps: [...way, 'and then, without interference:', ...stuck.steps] });
		}
		let wrong: { readonly label: string; readonly broken: string } | undefined;
		await visitNext(world, steps, (next, label, broken) => {
			if (broken === undefined) worlds.add(next, index);
			else wrong = { label, broken };
			return broken !== undefined;
		});
		if (wrong !== undefined)
			return found({ broken: wrong.broken, steps: [...(await wayTo(index, worlds, steps)), wrong.label] });
		if (worlds.size > MAX_WORLDS) throw new Error(`more than ${MAX_WORLDS} worlds: nothing is shown`);
	}
	return found(undefined);
}

/** Every world that is one step away, until the visitor has seen enough. The row is used again: it is to be copied. */
async function visitNext(world: World, steps: Steps, visit: Visitor): Promise<void> {
	const [situation = 0, left = 0] = world;
	const next = world.slice();
	for (let column = FIRST_POINT; column < world.length; column++) {
		const point = world[column] ?? 0;
		if (column > FIRST_POINT && point === world[column - 1]) continue; // executors are alike
		for (const step of steps.known(point, situation) ?? (await steps.ofExecutor(point, situation))) {
			next.set(world);
			next[SITUATION] = step.situation;
			next[column] = step.point;
			inOrder(next);
			if (visit(next, `E${column - 1}${step.label}`, step.broken)) return;
		}
	}
	for (const change of steps.ofOthers(situation, left)) {
		next.set(world);
		next[SITUATION] = change.situation;
		next[LEFT] = change.left;
		if (visit(next, change.label, change.broken)) return;
	}
}

/** Which executor stands first does not matter. */
function inOrder(world: World): void {
	for (let column = FIRST_POINT + 1; column < world.length; column++)
		for (let at = column; at > FIRST_POINT && (world[at - 1] ?? 0) > (world[at] ?? 0); at--)
			[world[at - 1], world[at]] = [world[at] ?? 0, world[at - 1] ?? 0];
}

async function wayTo(index: number, worlds: RowTable, steps: Steps): Promise<string[]> {
	const way: string[] = [];
	for (let at = index; worlds.parent(at) >= 0; at = worlds.parent(at)) {
		const wanted = worlds.row(at).join();
		await visitNext(worlds.row(worlds.parent(at)).slice(), steps, (next, label) => {
			if (next.join() !== wanted) return false;
			way.unshift(label);
			return true;
		});
	}
	return way;
}
