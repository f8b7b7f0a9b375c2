// The lock of a target under every interleaving of two executors that run the real code, on a model of the API server, of
// Tekton and of the garbage collector: views of any age, also of different age for executions and runs, crashes at every
// step, runs and executions deleted by hand, withdrawal. What must hold in each state is in simulation/promises.ts; the
// bounds are in SETTINGS. Within its bounds an exploration is complete.
// `LOCK_SIMULATION=deep` runs all of them with two executors at once; without it most run with one that crashes and is replaced.
// Not in the model: time (time-outs, and what gives up after an hour, are tested in decide/), more than one task.
import { describe, expect, it } from 'vitest';
import { explore } from './simulation/explore.ts';
import { MUTANTS } from './simulation/mutants.ts';
import type { Rules } from './simulation/world.ts';

const RULES: Rules = {
	executions: 1,
	processes: 2,
	reconciles: 2,
	crashes: 0,
	arrivals: 0,
	runDeletions: 0,
	executionDeletions: 0,
	withdrawals: 0,
	forgottenTasks: 0,
	cooldown: false,
	viewsApart: true,
};
const TIMEOUT_MS = 30 * 60_000;
// Two executors at once are many states: all of it takes long, and has a run of its own.
const IS_DEEP = process.env['LOCK_SIMULATION'] === 'deep';
const ONE_AFTER_ANOTHER = { processes: 1, reconciles: 3, crashes: 1 } as const;
const QUICK_WITH_TWO = ['an execution that is withdrawn'];
const QUICK_MUTANTS = /pending|on the word of|without our finalizer|is adopted/;

const SETTINGS: readonly { readonly name: string; readonly rules: Partial<Rules> }[] = [
	{ name: 'two executions of one target', rules: { executions: 2 } },
	{ name: 'an execution that comes while another runs', rules: { arrivals: 1, viewsApart: false } },
	{ name: 'a cooldown', rules: { arrivals: 1, cooldown: true, viewsApart: false } },
	{ name: 'crashes at every step', rules: { reconciles: 3, crashes: 2 } },
	{ name: 'a run that is deleted by hand', rules: { runDeletions: 1, crashes: 1 } },
	{ name: 'an execution that is deleted by hand', rules: { executionDeletions: 1, crashes: 1 } },
	{ name: 'an execution that is withdrawn', rules: { withdrawals: 1, crashes: 1 } },
	{
		name: 'a cancel that forgets a task', // one process after another: two at once are more than three million states
		rules: { processes: 1, reconciles: 4, crashes: 1, executionDeletions: 1, forgottenTasks: 1, viewsApart: false },
	},
	{
		name: 'a run that is deleted while another execution comes',
		rules: { arrivals: 1, runDeletions: 1, viewsApart: false },
	},
];

describe('in every interleaving one run at most is started and not dead, and nothing is lost or stuck', () => {
	it.each(SETTINGS)(
		'every interleaving keeps the promises with $name',
		async ({ name, rules }) => {
			const bounds = IS_DEEP || QUICK_WITH_TWO.includes(name) ? {} : ONE_AFTER_ANOTHER;
			const { counterexample, ...size } = await explore({ ...RULES, ...rules, ...bounds });
			console.log(`${name}: ${size.worlds} states to depth ${size.depth}, ${size.runsOfTheCode} runs of the code`);
			expect(counterexample).toBeUndefined();
		},
		TIMEOUT_MS,
	);
});

describe('mutants', () => {
	it.each(MUTANTS.filter(({ name }) => IS_DEEP || QUICK_MUTANTS.test(name)))(
		'the exploration finds the mutant: $name',
		async ({ mutation, rules, wantBroken }) => {
			const { counterexample } = await explore({ ...RULES, ...rules }, mutation);
			expect(counterexample?.broken).toMatch(wantBroken);
		},
		TIMEOUT_MS,
	);
});
