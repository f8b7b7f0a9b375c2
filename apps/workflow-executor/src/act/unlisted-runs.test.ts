import { describe, expect, it } from 'vitest';
import { anExecution, aRunning } from '../../test/harness/made-up.ts';
import { KubeError } from '../kube/kube.ts';
import type { Execution } from '../objects/execution.ts';
import { explainUnlistedRuns } from './unlisted-runs.ts';

const NOT_INSTALLED = new KubeError('KUBE_NOT_FOUND', 'the server could not find the requested resource', {
	status: 404,
});
const NOT_GRANTED = new KubeError('KUBE_NOT_GRANTED', 'list pipelineruns', { status: 403 });

/** What is written about each execution after so many checks. */
async function explained(answer: unknown, executions: Execution[], { checks = 1, stopAfter = Infinity } = {}) {
	const timers: (() => void)[] = [];
	const written: [string, string][] = [];
	const stop = explainUnlistedRuns({
		tryList: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve()),
		executions: () => executions,
		writer: {
			async wait({ name }, reason) {
				written.push([name, reason]);
			},
		},
		clock: {
			setTimer(onElapsed) {
				timers.push(onElapsed);
				return () => void timers.splice(0);
			},
		},
	});
	for (let check = 0; check < checks; check++) {
		if (check === stopAfter) stop();
		timers.shift()?.();
		for (let turn = 0; turn < 10; turn++) await Promise.resolve();
	}
	return written;
}

describe('before the runs were listed', () => {
	it.each([
		{ why: 'Tekton is not installed', answer: NOT_INSTALLED, want: 'EngineNotInstalled' },
		{ why: 'a right is missing', answer: NOT_GRANTED, want: 'MissingRight' },
	])('an execution that waits says that $why', async ({ answer, want }) => {
		expect(await explained(answer, [anExecution()])).toEqual([['we-0', want]]);
	});

	it('nothing is said while the list is only slow', async () => {
		expect(await explained('listed', [anExecution()])).toEqual([]);
	});

	it('nothing is said about an execution that runs, or is being deleted', async () => {
		expect(await explained(NOT_GRANTED, [aRunning(), anExecution({ chain: 1, deleting: true })])).toEqual([]);
	});

	it('the list is tried again, until the runs were listed', async () => {
		expect(await explained(NOT_GRANTED, [anExecution()], { checks: 4, stopAfter: 2 })).toHaveLength(2);
	});
});
