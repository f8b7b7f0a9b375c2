// Every order of two pods, with crashes, pauses and silent claims: the app's own code keeps the promise of each policy, and
// the same code without one of its ingredients does not.
import { describe, expect, it } from 'vitest';
import { DEFAULT_KEY_TEMPLATE } from '../src/decide/delivery-key.ts';
import { explore, type Rules } from './simulation/explore.ts';
import { explorePace } from './simulation/explore-pace.ts';
import { sendInTwoClusters } from './simulation/two-clusters.ts';

/** It ends when every order was tried: how long that takes says something about the machine only. */
const TIMEOUT_MS = 60 * 60_000;

const RULES: Rules = { pods: 2, policy: 'atLeastOnce', locking: false, crashes: 1, longSteps: 1, shortSteps: 0 };

describe('every order', { timeout: TIMEOUT_MS }, () => {
	it.each([
		{ title: 'at least once, no lock', rules: RULES, maxMessages: 2 },
		{ title: 'at most once, no lock', rules: { ...RULES, policy: 'atMostOnce' } as const, maxMessages: 1 },
		{ title: 'at least once, with the lock', rules: { ...RULES, locking: true }, maxMessages: 2 },
		{
			title: 'at most once, with the lock',
			rules: { ...RULES, locking: true, policy: 'atMostOnce' } as const,
			maxMessages: 1,
		},
		{ title: 'nothing goes wrong: once', rules: { ...RULES, crashes: 0, longSteps: 0 }, maxMessages: 1 },
		{
			title: 'slow answers within the time of a send: once',
			rules: { ...RULES, crashes: 0, longSteps: 0, shortSteps: 1 },
			maxMessages: 1,
		},
	])('$title', async ({ title, rules, maxMessages }) => {
		const { worlds, runsOfTheCode, maxMessages: most, counterexample } = await explore(rules);
		console.info(`${title}: ${worlds} worlds, ${runsOfTheCode} runs of the code, at most ${most} messages`);
		expect(counterexample).toBeUndefined();
		expect(most).toBe(maxMessages);
	});
});

describe('rejected', { timeout: TIMEOUT_MS }, () => {
	it('no check before the send', async () => {
		const { counterexample } = await explore({ ...RULES, crashes: 0 }, { clockBeforeSend: () => -1000 });
		expect(counterexample?.broken).toMatch(/under a claim that is another|sent twice/);
	});

	it('a held lock taken for success', async () => {
		const { counterexample } = await explore({ ...RULES, locking: true }, { contendedIsSuccess: true });
		expect(counterexample?.broken).toMatch(/Delivered, and nothing was sent|lost/);
	});
});

describe('the pace of a receiver, in every order of two pods', { timeout: TIMEOUT_MS }, () => {
	it('a pause lies between the end of a send and the next', async () => {
		const { runs, broken, steps } = await explorePace({ sendsPerPod: 1, steps: 6, crashes: 0 });
		console.info(`pace: ${runs} orders`);
		expect(broken, steps.join(', ')).toBeUndefined();
		expect(runs).toBeGreaterThan(100);
	});

	it('a turn whose holder crashed is taken over, and the pause lies between them as well', async () => {
		const { runs, takenOver, broken, steps } = await explorePace({ sendsPerPod: 1, steps: 5, crashes: 1 });
		console.info(`pace, with a crash: ${runs} orders, taken over in ${takenOver}`);
		expect(broken, steps.join(', ')).toBeUndefined();
		expect(takenOver).toBeGreaterThan(0);
	});

	it('rejected: the pause counted from the taking', async () => {
		const { broken } = await explorePace({ sendsPerPod: 1, steps: 6, crashes: 0 }, (versions) => {
			const observe = versions.observe.bind(versions);
			// A version that frees the turn keeps the time at which it was taken.
			versions.observe = (lease) => {
				const before = versions.get(lease.name);
				const seen = observe(lease);
				if (before?.lease.holder === undefined || lease.holder !== undefined) return seen;
				return Object.assign(seen, { since: before.since });
			};
		});
		expect(broken).toMatch(/between the end of a send and the next/);
	});
});

describe('the same incident in two clusters', { timeout: TIMEOUT_MS }, () => {
	const CAUSES = ['no-workflow', 'failed'] as const;
	it('is sent once for each cause', async () => {
		expect(await sendInTwoClusters(DEFAULT_KEY_TEMPLATE, CAUSES)).toEqual(['failed', 'no-workflow']);
	});

	it('rejected: the type in place of the cause swallows a message', async () => {
		const template = DEFAULT_KEY_TEMPLATE.replace('{cause}', '{type}');
		expect(await sendInTwoClusters(template, CAUSES)).not.toEqual(['failed', 'no-workflow']);
	});
});
