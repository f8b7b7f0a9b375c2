// The chain of a fingerprint under every interleaving of three processes that run the real code of the gateway, without
// any lock, on a model of the API server: views of any age, crashes at every step, requests that end at every step,
// retention, lost answers. What must hold in each state is in simulation/promises.ts; the bounds are in SETTINGS.
// Within its bounds an exploration is complete: `depth` is the number of steps to the farthest state.
// More signals, endings and lost answers take another three minutes, in this package:
//   CHAIN_SIMULATION=deep pnpm exec vitest run test/chain-simulation.test.ts
import { describe, expect, it } from 'vitest';
import { linkName } from '../src/objects/request-link.ts';
import { FINGERPRINT } from './fixtures/sample-signal.ts';
import { ALERT_SETTINGS } from './simulation/alert-settings.ts';
import { explore } from './simulation/explore.ts';
import { FORKED, MUTANTS } from './simulation/mutants.ts';
import { finishedChain, SCHEMA, type Store } from './simulation/store-model.ts';
import type { Rules } from './simulation/world.ts';

const RULES: Rules = {
	processes: 3,
	signals: 3,
	catchUps: 0,
	endings: 1,
	endingWays: ['terminal'],
	lostAnswers: 0,
	removals: 2,
	viewsYoungerThanRetention: true,
	retentionKeepsSuccessorRule: true,
	retentionHasPrecondition: true,
	retentionInForeground: false,
	deletionsByHand: 0,
	folds: 0,
	settles: 0,
	processesRemember: false,
	schema: SCHEMA,
};
const TIMEOUT_MS = 30 * 60_000;

type Setting = { readonly name: string; readonly finishedLinks: number; readonly rules: Partial<Rules> };

const SETTINGS: readonly Setting[] = [
	{ name: 'answers that are lost', finishedLinks: 0, rules: { endings: 2, lostAnswers: 1 } },
	{ name: 'watches that catch up', finishedLinks: 0, rules: { endings: 2, catchUps: 1 } },
	{
		name: 'requests that are being deleted',
		finishedLinks: 0,
		rules: { endings: 2, endingWays: ['terminal', 'deleting'] },
	},
	{ name: 'a chain that retention shortens', finishedLinks: 1, rules: { endings: 1 } },
	{
		name: 'slots that are folded and counts that are settled',
		finishedLinks: 0,
		rules: { processes: 2, signals: 4, endings: 1, removals: 0, folds: 1, settles: 1, processesRemember: true },
	},
	{
		name: 'lost answers and folded slots',
		finishedLinks: 0,
		rules: { processes: 2, signals: 4, endings: 0, removals: 0, folds: 2, lostAnswers: 1, processesRemember: true },
	},
	{ name: 'a second signal for each of two', finishedLinks: 0, rules: { processes: 2, signals: 4, endings: 2 } },
];
const DEEP_SETTINGS: readonly Setting[] = [
	{ name: 'a chain that retention shortens more', finishedLinks: 2, rules: { endings: 1, removals: 3 } },
	{ name: 'more endings', finishedLinks: 0, rules: { signals: 4, endings: 3, removals: 3 } },
	{ name: 'two answers that are lost', finishedLinks: 0, rules: { endings: 2, lostAnswers: 2 } },
];
const deep = process.env['CHAIN_SIMULATION'] === 'deep';

describe('in every interleaving one link is active, and each signal is counted once on the link of its answer', () => {
	it.each([...SETTINGS, ...(deep ? DEEP_SETTINGS : [])])(
		'every interleaving keeps the promises with $name',
		async ({ name, finishedLinks, rules }) => {
			const { counterexample, ...size } = await explore(finished(finishedLinks), { ...RULES, ...rules });
			console.log(`${name}: ${size.worlds} states to depth ${size.depth}, ${size.runsOfTheCode} runs of the code`);
			expect(counterexample).toBeUndefined();
			expect(size.ends).toBeGreaterThan(0);
		},
		TIMEOUT_MS,
	);
});

describe('alerts of one incident', () => {
	it.each(ALERT_SETTINGS)(
		'in every interleaving a request is marked when all of its alerts have ended, and not before: $name',
		async ({ name, rules }) => {
			const { counterexample, ...size } = await explore(finished(0), { ...RULES, ...rules });
			console.log(`${name}: ${size.worlds} states to depth ${size.depth}, ${size.runsOfTheCode} runs of the code`);
			expect(counterexample).toBeUndefined();
			expect(size.ends).toBeGreaterThan(0);
		},
		TIMEOUT_MS,
	);
});

describe('mutants', () => {
	it.each(MUTANTS)(
		'the exploration finds the mutant: $name',
		async ({ mutation, rules, finishedLinks = 0, wantBroken }) => {
			const options = mutation === undefined ? {} : { mutation };
			const { counterexample } = await explore(finished(finishedLinks), { ...RULES, ...rules }, options);
			expect(counterexample?.broken).toMatch(wantBroken);
		},
		TIMEOUT_MS,
	);
});

describe('not promised, and so found as well', () => {
	it.each<{ name: string; finishedLinks: number; rules: Partial<Rules> }>([
		{ name: 'a view older than retention', finishedLinks: 0, rules: { viewsYoungerThanRetention: false, endings: 2 } },
		{ name: 'an active request deleted by hand', finishedLinks: 1, rules: { deletionsByHand: 1 } },
	])(
		'not promised, and found by the exploration: $name',
		async ({ finishedLinks, rules }) => {
			const { counterexample } = await explore(finished(finishedLinks), { ...RULES, ...rules });
			expect(counterexample?.broken).toMatch(FORKED);
		},
		TIMEOUT_MS,
	);
});

function finished(links: number): Store {
	return finishedChain(links, (uid) => linkName(FINGERPRINT, uid));
}
