import { describe, expect, it } from 'vitest';
import {
	aDoneRun,
	anEnd,
	anExecution,
	aRun,
	aRunning,
	at,
	MINUTE,
	NOW,
	PLACE,
	runRef,
	TARGET,
} from '../../test/harness/made-up.ts';
import type { Execution } from '../objects/execution.ts';
import type { TargetView } from '../objects/known-objects.ts';
import type { Run } from '../objects/run-engine.ts';
import { proposeWork } from './work.ts';

function propose(run: Run | undefined, owner: Execution | undefined, ...others: Execution[]) {
	const open = [...(owner === undefined ? [] : [owner]), ...others].filter(
		({ phase, deleting }) => deleting || phase === undefined || phase === 'Pending' || phase === 'Running',
	);
	const view: TargetView = { target: TARGET, run, owner, open, now: NOW };
	const { work, lookAgainAt } = proposeWork(view, PLACE);
	return { work: work.map((one) => `${one.do} ${'execution' in one ? one.execution.name : 'run'}`), lookAgainAt };
}
const waiting = anExecution({ chain: 1 });

describe('what a target needs', () => {
	it.each([
		{ world: 'nothing', run: undefined, owner: undefined, others: [], want: [] },
		{ world: 'an execution that waits', run: undefined, owner: undefined, others: [waiting], want: ['begin we-1'] },
		{
			world: 'two that wait',
			run: undefined,
			owner: undefined,
			others: [anExecution(), waiting],
			want: ['begin we-0', 'begin we-1'],
		},
		{
			world: 'an unclaimed run',
			run: aRun({ state: 'pending' }),
			owner: anExecution(),
			others: [],
			want: ['claim we-0'],
		},
		{
			world: 'an unclaimed run that is being deleted',
			run: aRun({ state: 'pending', deletedAt: at(NOW) }),
			owner: anExecution(),
			others: [],
			want: ['clean run'],
		},
		{ world: 'a claimed run', run: aRun({ state: 'pending' }), owner: aRunning(), others: [], want: ['start we-0'] },
		{ world: 'a run that runs', run: aRun(), owner: aRunning(), others: [], want: [] },
		{
			world: 'a run that runs, and another that waits',
			run: aRun(),
			owner: aRunning(),
			others: [waiting],
			want: ['begin we-1'],
		},
		{ world: 'a run that is done', run: aDoneRun(), owner: aRunning(), others: [], want: ['conclude we-0'] },
		{
			world: 'a run that was deleted',
			run: aRun({ deletedAt: at(NOW) }),
			owner: aRunning(),
			others: [],
			want: ['conclude we-0'],
		},
		{
			world: 'a run that its time-out did not end',
			run: aRun(),
			owner: aRunning({ createdAt: at(NOW - 11 * MINUTE) }),
			others: [],
			want: ['hurry we-0'],
		},
		{
			world: 'a claimed run whose time is up before it was started',
			run: aRun({ state: 'pending' }),
			owner: aRunning({ createdAt: at(NOW - 10 * MINUTE) }),
			others: [],
			want: ['hurry we-0'],
		},
		{ world: 'a cooldown', run: aDoneRun(), owner: anEnd('Completed', MINUTE), others: [], want: [] },
		{
			world: 'a cooldown that is over',
			run: aDoneRun(),
			owner: anEnd('Completed', 6 * MINUTE),
			others: [],
			want: ['clean run'],
		},
		{
			world: 'a run that was deleted in its cooldown',
			run: aDoneRun(0, { deletedAt: at(NOW) }),
			owner: anEnd('Completed', MINUTE),
			others: [],
			want: ['clean run'],
		},
		{ world: 'a run without its execution', run: aRun(), owner: undefined, others: [], want: ['clean run'] },
		{
			world: 'an execution without its run',
			run: undefined,
			owner: undefined,
			others: [aRunning()],
			want: ['verifyRun we-0'],
		},
		{
			world: 'an execution that names another run',
			run: aRun(),
			owner: aRunning({ run: runRef('another') }),
			others: [],
			want: ['clean run'],
		},
		{
			world: 'an execution that is deleted while it runs',
			run: aRun(),
			owner: aRunning({ deleting: true }),
			others: [],
			want: ['clean run'],
		},
		{
			world: 'an execution that is deleted, without a run',
			run: undefined,
			owner: undefined,
			others: [anEnd('Completed', 0, { deleting: true })],
			want: ['letGo we-0'],
		},
		{
			world: 'one that is deleted and has only finalizers of others',
			run: undefined,
			owner: undefined,
			others: [anEnd('Completed', 0, { deleting: true, finalizers: ['x'] })],
			want: [],
		},
	])('with $world: $want', ({ run, owner, others, want }) => {
		expect(propose(run, owner, ...others).work).toEqual(want);
	});

	it('looks again when a cooldown ends, and when a time-out has passed', () => {
		expect(propose(aDoneRun(), anEnd('Completed', MINUTE)).lookAgainAt).toBe(NOW + 4 * MINUTE);
		expect(propose(aRun(), aRunning()).lookAgainAt).toBe(NOW + 10 * MINUTE);
	});
});
