import { describe, expect, it } from 'vitest';
import { aDoneRun, aPod, aRun, aTask, at, MINUTE, NOW, someParts } from '../../test/harness/made-up.ts';
import { removalStep, SETTLE_MS } from './removal.ts';

const PLACE = { claimed: true, unneededSince: NOW - MINUTE, now: NOW, orphanAfterMs: 60 * MINUTE };
const deletedAt = at(NOW - MINUTE);
const running = aTask({ state: 'running' });
const waitsForCollector = aTask({ name: 'waits', deleting: true, inForeground: true });

describe('removing a run', () => {
	it.each([
		{ run: 'one that runs', it: aRun(), parts: undefined, want: { do: 'cancel' } },
		{
			run: 'one that is claimed and not started',
			it: aRun({ state: 'pending' }),
			parts: undefined,
			want: { do: 'cancel' },
		},
		{
			run: 'one that is cancelled and not done',
			it: aRun({ state: 'cancelled' }),
			parts: undefined,
			want: { do: 'wait' },
		},
		{ run: 'one that is done', it: aDoneRun(), parts: undefined, want: { do: 'look' } },
		{
			run: 'a done one with a pod whose step runs',
			it: aDoneRun(),
			parts: someParts({ pods: [aPod({ alive: true })] }),
			want: { do: 'wait', afterMs: 1000 },
		},
		{
			run: 'a done one of which Tekton forgot a task',
			it: aDoneRun(),
			parts: someParts({ tasks: [running] }),
			want: { do: 'endTasks', tasks: [running], how: 'cancelled' },
		},
		{
			run: 'a done one with pods that have ended',
			it: aDoneRun(),
			parts: someParts({ tasks: [aTask()], pods: [aPod()] }),
			want: { do: 'remove' },
		},
		{ run: 'one that was deleted while it ran', it: aRun({ deletedAt }), parts: undefined, want: { do: 'look' } },
		{
			run: 'a deleted one whose tasks run on',
			it: aRun({ deletedAt }),
			parts: someParts({ tasks: [running] }),
			want: { do: 'endTasks', tasks: [running], how: 'cancelled' },
		},
		{
			run: 'a deleted one with a pod whose step runs',
			it: aRun({ deletedAt }),
			parts: someParts({ tasks: [aTask({ state: 'cancelled' })], pods: [aPod({ alive: true })] }),
			want: { do: 'wait' },
		},
		{
			run: 'a deleted one whose task is done and whose pod runs on: Tekton forgot it',
			it: aRun({ deletedAt }),
			parts: someParts({ tasks: [aTask()], pods: [aPod({ alive: true })] }),
			want: { do: 'endTasks', tasks: [aTask()], how: 'deleted' },
		},
		{
			run: 'one that was deleted this moment, whose task is done and whose pod runs on: Tekton may be at it',
			it: aRun({ deletedAt: at(NOW) }),
			parts: someParts({ tasks: [aTask()], pods: [aPod({ alive: true })] }),
			want: { do: 'wait' },
		},
		{
			run: 'a deleted one whose task is done and whose pod is being deleted',
			it: aRun({ deletedAt }),
			parts: someParts({ tasks: [aTask()], pods: [aPod({ alive: true, deleting: true })] }),
			want: { do: 'wait' },
		},
		{
			run: 'a deleted one whose parts stay, because it was deleted in the background',
			it: aRun({ deletedAt }),
			parts: someParts({ tasks: [aTask()] }),
			want: { do: 'remove' },
		},
		{
			run: 'one that is deleted with its parts, while they go',
			it: aRun({ deletedAt, inForeground: true }),
			parts: someParts({ pods: [aPod()] }),
			want: { do: 'wait' },
		},
		{
			run: 'a deleted one of which nothing is left',
			it: aRun({ deletedAt }),
			parts: someParts(),
			want: { do: 'free' },
		},
		{
			run: 'a deleted one whose tasks wait for the garbage collector alone, for half a minute',
			it: aRun({ deletedAt, inForeground: true }),
			parts: someParts({ tasks: [waitsForCollector, aTask({ deleting: true })] }),
			want: { do: 'endTasks', tasks: [waitsForCollector], how: 'deleted' },
		},
		{
			run: 'a deleted one whose task has a pod that is not gone',
			it: aRun({ deletedAt, inForeground: true }),
			parts: someParts({ tasks: [waitsForCollector], pods: [aPod()] }),
			want: { do: 'wait' },
		},
		{
			run: 'a deleted one whose task waits for something else than the garbage collector',
			it: aRun({ deletedAt, inForeground: true }),
			parts: someParts({ tasks: [aTask({ deleting: true })] }),
			want: { do: 'wait' },
		},
		{
			run: 'one whose task was deleted a moment ago: the garbage collector is at it',
			it: aDoneRun(MINUTE, { deletedAt: at(NOW - 29_000), inForeground: true }),
			parts: someParts({ tasks: [waitsForCollector] }),
			want: { do: 'wait' },
		},
		{
			run: 'one that waits for the garbage collector alone, for half a minute',
			it: aRun({ deletedAt, inForeground: true, held: false }),
			parts: someParts(),
			want: { do: 'skipCollector' },
		},
		{
			run: 'one that waits for the garbage collector alone, since a moment ago',
			it: aDoneRun(MINUTE, { deletedAt: at(NOW - 29_000), inForeground: true, held: false }),
			parts: someParts(),
			want: { do: 'wait' },
		},
		{
			run: 'one that waits for the finalizer of another',
			it: aRun({ deletedAt, held: false }),
			parts: someParts(),
			want: { do: 'wait' },
		},
		{
			run: 'one that was deleted this moment while it ran: a task may still come',
			it: aRun({ deletedAt: at(NOW) }),
			parts: someParts(),
			want: { do: 'wait', afterMs: SETTLE_MS },
		},
		{
			run: 'one that was deleted this moment when it was done',
			it: aDoneRun(0, { deletedAt: at(NOW) }),
			parts: someParts(),
			want: { do: 'free' },
		},
		{
			run: 'one that was deleted this moment and never started',
			it: aRun({ state: 'pending', deletedAt: at(NOW) }),
			parts: someParts(),
			want: { do: 'free' },
		},
	])('$run', ({ it: run, parts, want }) => {
		expect(removalStep(run, parts, PLACE)).toMatchObject(want);
	});

	it('an unclaimed one that was never started is removed without the engine', () => {
		expect(removalStep(aRun({ state: 'pending' }), undefined, { ...PLACE, claimed: false })).toEqual({ do: 'remove' });
	});

	describe('after an hour', () => {
		const late = { ...PLACE, unneededSince: NOW - 61 * MINUTE };
		const longAgo = at(NOW - 61 * MINUTE);
		it.each([
			{
				run: 'pods that do not end',
				it: aDoneRun(61 * MINUTE),
				parts: someParts({ pods: [aPod({ alive: true })] }),
				want: 'abandon',
			},
			{
				run: 'parts that do not go',
				it: aDoneRun(61 * MINUTE, { deletedAt: longAgo, inForeground: true }),
				parts: someParts({ pods: [aPod()] }),
				want: 'abandon',
			},
			{
				run: 'a cancelled run that Tekton does not end',
				it: aRun({ state: 'cancelled', createdAt: longAgo }),
				parts: someParts(),
				want: 'remove',
			},
			{
				run: 'a cancelled run that Tekton does not end, and whose pod runs',
				it: aRun({ state: 'cancelled', createdAt: longAgo }),
				parts: someParts({ pods: [aPod({ alive: true })] }),
				want: 'remove',
			},
			{ run: 'nothing alive', it: aDoneRun(61 * MINUTE), parts: someParts(), want: 'remove' },
		])('$run: $want', ({ it: run, parts, want }) => {
			expect(removalStep(run, parts, late).do).toBe(want);
		});

		it('counts from the end of the cooldown, not from the end of the run', () => {
			const parts = someParts({ pods: [aPod({ alive: true })] });
			expect(removalStep(aDoneRun(61 * MINUTE), parts, PLACE).do).toBe('wait');
		});
	});
});
