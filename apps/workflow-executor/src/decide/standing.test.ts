import { describe, expect, it } from 'vitest';
import {
	aDoneRun,
	anEnd,
	anExecution,
	aRun,
	aRunning,
	MINUTE,
	NOW,
	PLACE,
	runRef,
	TARGET,
} from '../../test/harness/made-up.ts';
import { standingOf } from './standing.ts';

const wanted = anExecution({ chain: 9 });
const pending = { state: 'pending' as const };
const owned = { owner: { namespace: PLACE.namespace, name: wanted.name, uid: wanted.uid } };

describe('the name of the run is taken', () => {
	it.each([
		{
			by: 'this execution itself, after a crash',
			run: aRun({ ...pending, ...owned }),
			holder: wanted,
			want: { is: 'ours' },
		},
		{
			by: 'an execution that runs with this very run',
			run: aRun(),
			holder: aRunning(),
			want: { is: 'busy', heldBy: 'we-0', message: `we-0 runs on ${TARGET}` },
		},
		{
			by: 'an execution that has not claimed it yet',
			run: aRun(pending),
			holder: anExecution(),
			want: { is: 'busy', heldBy: 'we-0' },
		},
		{
			by: 'one in its cooldown',
			run: aDoneRun(),
			holder: anEnd('Completed', MINUTE),
			want: { is: 'cooling', heldBy: 'we-0', until: NOW + 4 * MINUTE },
		},
		{
			by: 'one that failed, in its cooldown',
			run: aDoneRun(),
			holder: anEnd('Failed', MINUTE),
			want: { is: 'cooling', heldBy: 'we-0' },
		},
		{
			by: 'one whose cooldown has 10 s left',
			run: aDoneRun(),
			holder: anEnd('Completed', 5 * MINUTE - 10_000),
			want: { is: 'passing', until: NOW + 10_000 },
		},
		{
			by: 'one whose cooldown has a little more left',
			run: aDoneRun(),
			holder: anEnd('Completed', 5 * MINUTE - 10_001),
			want: { is: 'cooling' },
		},
		{ by: 'one that is cooled down', run: aDoneRun(), holder: anEnd('Completed', 5 * MINUTE), want: { is: 'stale' } },
		{
			by: 'one that was skipped',
			run: aRun(pending),
			holder: anExecution({ phase: 'Skipped' }),
			want: { is: 'stale' },
		},
		{ by: 'one that is being deleted', run: aRun(), holder: aRunning({ deleting: true }), want: { is: 'stale' } },
		{ by: 'one that does not exist', run: aRun(), holder: undefined, want: { is: 'stale' } },
		{ by: 'one whose name another has now', run: aRun(), holder: aRunning({ uid: 'another' }), want: { is: 'stale' } },
		{
			by: 'one that names another run',
			run: aRun(),
			holder: aRunning({ run: runRef('another') }),
			want: { is: 'stale' },
		},
		{
			by: 'one that failed before it had a run',
			run: aRun(pending),
			holder: anExecution({ phase: 'Failed' }),
			want: { is: 'stale' },
		},
		{
			by: 'an unclaimed run that is being deleted',
			run: aRun({ ...pending, deletedAt: '2026-11-17T11:59:59Z' }),
			holder: anExecution(),
			want: { is: 'stale' },
		},
		{
			by: 'an unclaimed run of our own that is being deleted',
			run: aRun({ ...pending, ...owned, deletedAt: '2026-11-17T11:59:59Z' }),
			holder: wanted,
			want: { is: 'stale' },
		},
		{
			by: 'a run that was deleted while it ran, before its outcome is written',
			run: aRun({ deletedAt: '2026-11-17T11:59:59Z' }),
			holder: aRunning(),
			want: { is: 'busy', heldBy: 'we-0' },
		},
		{
			by: 'an object that is not of our making',
			run: aRun({ owner: undefined, lockKey: undefined }),
			holder: undefined,
			want: { is: 'busy', heldBy: `PipelineRun ${aRun().name}` },
		},
		{
			by: 'the run of another target with the same hash',
			run: aRun({ lockKey: 'shop/Deployment/collides' }),
			holder: aRunning(),
			want: { is: 'busy', heldBy: `PipelineRun ${aRun().name}` },
		},
		{
			by: 'the run of an executor of another namespace',
			run: aRun({ owner: { namespace: 'elsewhere', name: 'we-0', uid: 'uid-of-we-0' } }),
			holder: undefined,
			want: { is: 'busy' },
		},
	])('by $by', ({ run, holder, want }) => {
		expect(standingOf(wanted, run, holder, PLACE)).toMatchObject(want);
	});
});
