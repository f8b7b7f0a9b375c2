// The lock of a target under every interleaving of two executors that run the real code, on a model of the API server, of
// Tekton and of the garbage collector: views of any age, also of different age for executions and runs, any number of passes
// and of crashes at every step, runs and executions deleted by hand, withdrawal. What must hold in each state is in
// simulation/promises.ts; the bounds are in SETTINGS. Within its bounds an exploration is complete.
// `LOCK_SIMULATION=deep` adds the settings that take minutes.
// Not in the model: time (time-outs, and what gives up after an hour, are tested in decide/), more than one task.
import { describe, expect, it } from 'vitest';
import { explore } from './simulation/explore.ts';
import { MUTANTS } from './simulation/mutants.ts';
import type { Rules } from './simulation/steps.ts';

const RULES: Rules = {
	executions: 1,
	processes: 2,
	arrivals: 0,
	runDeletions: 0,
	executionDeletions: 0,
	withdrawals: 0,
	forgottenTasks: 0,
	cooldown: false,
	viewsApart: true,
};
const TIMEOUT_MS = 60 * 60_000;
const IS_DEEP = process.env['LOCK_SIMULATION'] === 'deep';

type Setting = { readonly name: string; readonly rules: Partial<Rules> };

const SETTINGS: readonly Setting[] = [
	{ name: 'one execution', rules: {} },
	{ name: 'an execution that is withdrawn', rules: { withdrawals: 1 } },
	{ name: 'a run that is deleted by hand', rules: { runDeletions: 1 } },
	{ name: 'an execution that is deleted by hand', rules: { executionDeletions: 1, viewsApart: false } },
	{
		name: 'a run that is deleted by hand, and whose execution is withdrawn',
		rules: { runDeletions: 1, withdrawals: 1, viewsApart: false },
	},
	{
		name: 'an execution that is withdrawn and deleted',
		rules: { executionDeletions: 1, withdrawals: 1, viewsApart: false },
	},
	{ name: 'two executions of one target', rules: { executions: 2, viewsApart: false } },
	{
		name: 'one executor after another, and everything that can happen to two executions',
		rules: { processes: 1, executions: 2, runDeletions: 1, executionDeletions: 1, withdrawals: 1, viewsApart: false },
	},
];
const DEEP_SETTINGS: readonly Setting[] = [
	{ name: 'an execution that is deleted by hand, with views apart', rules: { executionDeletions: 1 } },
	{
		name: 'a run and its execution that are deleted, and a cancel that forgets a task',
		rules: { runDeletions: 1, executionDeletions: 1, forgottenTasks: 1, viewsApart: false },
	},
	{ name: 'two runs that are deleted by hand', rules: { runDeletions: 2, viewsApart: false } },
	{ name: 'two executions of one target, with views apart', rules: { executions: 2 } },
	{ name: 'two executions, one of which is withdrawn', rules: { executions: 2, withdrawals: 1 } },
	{
		name: 'an execution that comes while another cools down',
		rules: { arrivals: 1, cooldown: true },
	},
	{
		name: 'a run that is deleted while another execution comes',
		rules: { arrivals: 1, runDeletions: 1, viewsApart: false },
	},
	{
		name: 'an execution that is deleted while another comes, one executor after another',
		rules: { processes: 1, arrivals: 1, executionDeletions: 1 },
	},
];

describe('in every interleaving one run at most is started and not dead, and nothing is lost or stuck', () => {
	it.each([...SETTINGS, ...(IS_DEEP ? DEEP_SETTINGS : [])])(
		'every interleaving keeps the promises with $name',
		async ({ name, rules }) => {
			const startedAt = performance.now();
			const { counterexample, worlds, situations, depth, runsOfTheCode } = await explore({ ...RULES, ...rules });
			const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
			console.log(
				`${name}: ${worlds} states (${situations} without the executors) to depth ${depth}, ${runsOfTheCode} runs of the code, ${seconds} s`,
			);
			expect(counterexample).toBeUndefined();
		},
		TIMEOUT_MS,
	);
});

describe('mutants', () => {
	it.each(MUTANTS)(
		'the exploration finds the mutant: $name',
		async ({ mutation, rules, wantBroken }) => {
			const { counterexample } = await explore({ ...RULES, ...rules }, mutation);
			expect(counterexample?.broken).toMatch(wantBroken);
		},
		TIMEOUT_MS,
	);
});
