import { createBackoff } from '@kubernaut/backoff';
import { describe, expect, it } from 'vitest';
import type { Check } from '../process/health-server.ts';
import { followApiReadiness } from './api-readiness.ts';
import { type KubeClient, KubeError } from './kube.ts';

/** Time passes with `elapse`. */
function manualClock() {
	const waiting: { delayMs: number; run: () => void }[] = [];
	return {
		delays: [] as number[],
		setTimer(run: () => void, delayMs: number) {
			this.delays.push(delayMs);
			waiting.push({ delayMs, run });
			return () => void waiting.splice(0);
		},
		async elapse() {
			waiting.shift()?.run();
			await settled();
		},
		pending: () => waiting.length,
	};
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function kubeThatAnswers(...answers: (string[] | Error)[]): Pick<KubeClient, 'server' | 'call'> {
	return {
		server: 'https://api',
		call: async <T>() => {
			const answer = answers.length > 1 ? answers.shift() : answers[0];
			if (answer instanceof Error) throw answer;
			return { resources: (answer ?? []).map((name) => ({ name })) } as T;
		},
	};
}

const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 400, jitterPercent: 0 });

describe('followApiReadiness', () => {
	it('the message names the kinds that are not served, and what to do', async () => {
		const follower = followApiReadiness(kubeThatAnswers(['a']), ['a', 'b', 'c'], backoff, () => {}, manualClock());
		await settled();
		expect(follower.check()).toMatchObject({
			ok: false,
			message: 'https://api does not serve b, c: apply deploy/crds',
		});
	});

	it('kinds of other groups are asked for in their group, also when no server has it', async () => {
		const kube: Pick<KubeClient, 'server' | 'call'> = {
			server: 'https://api',
			call: async <T>({ path }: { path: string }) => {
				if (path !== '/apis/kubernaut.ai/v1alpha1') throw new KubeError('KUBE_NOT_FOUND', 'not found', { status: 404 });
				return { resources: [{ name: 'a' }] } as T;
			},
		};
		const follower = followApiReadiness(kube, ['a', 'tekton.dev/v1/b'], backoff, () => {}, manualClock());
		await settled();
		expect(follower.check()).toMatchObject({
			ok: false,
			message: 'https://api does not serve b: install what serves tekton.dev/v1',
		});
	});

	it('is checked with growing delays while it fails, then at a steady pace', async () => {
		const clock = manualClock();
		const down = new Error('down');
		const changes: boolean[] = [];
		const kube = kubeThatAnswers(down, down, down, down, ['a']);
		const follower = followApiReadiness(kube, ['a'], backoff, (check: Check) => changes.push(check.ok), clock);
		await settled();
		for (let i = 0; i < 4; i++) await clock.elapse();
		expect(clock.delays).toEqual([100, 200, 400, 400, 5000]);
		expect(follower.check().ok).toBe(true);
		expect(changes).toEqual([false, true]); // once for each change, not at every check
	});

	it('the delays start over after a success', async () => {
		const clock = manualClock();
		const down = new Error('down');
		followApiReadiness(kubeThatAnswers(down, down, ['a'], down), ['a'], backoff, () => {}, clock);
		await settled();
		for (let i = 0; i < 3; i++) await clock.elapse();
		expect(clock.delays).toEqual([100, 200, 5000, 100]);
	});

	it('stop() ends the checks', async () => {
		const clock = manualClock();
		const follower = followApiReadiness(kubeThatAnswers(['a']), ['a'], backoff, () => {}, clock);
		await settled();
		follower.stop();
		expect(clock.pending()).toBe(0);
	});
});
