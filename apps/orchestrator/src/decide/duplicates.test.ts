import { describe, expect, it } from 'vitest';
import {
	aBlockedRequest,
	anApproval,
	anEnd,
	anExecution,
	aRequest,
	at,
	aView,
	aWorkflow,
	CONFIG,
	MINUTE,
	NOW,
} from '../../test/harness/made-up.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import { digestAskedBy } from './approval.ts';
import { decide } from './decide.ts';

const duplicate = aBlockedRequest({
	reason: 'DuplicateInProgress',
	message: 'duplicate of rr-o',
	duplicateOf: { name: 'rr-o', uid: 'uid-o' },
});
const succeeded = anEnd('Completed', 0, { requestUid: 'uid-o' });
const original = (changes: Partial<Remediation> = {}) =>
	aRequest({ name: 'rr-o', uid: 'uid-o', createdAt: at(NOW - 9 * MINUTE), ...changes });
const completed = original({ phase: 'Completed', outcome: 'Remediated', executionRef: succeeded });
const decided = (first: Remediation | undefined, view: Partial<TargetView> = {}, config = CONFIG) =>
	decide(duplicate, aView({ requests: first === undefined ? [duplicate] : [first, duplicate], ...view }), config);

describe('a duplicate of a request that succeeded', () => {
	const done = {
		do: 'finish',
		phase: 'Skipped',
		outcome: 'RemediatedByAnother',
		message: 'remediated by rr-o',
		duplicateOf: { name: 'rr-o', uid: 'uid-o' },
	};
	it('is done by another', () => {
		expect(decided(completed, { executions: [succeeded] })).toEqual(done);
	});

	it.each<{ why: string; view: Partial<TargetView> }>([
		{ why: 'its workflow was deleted', view: { executions: [succeeded], workflows: [] } },
		{ why: 'the execution was deleted', view: { executions: [] } },
	])('is done by another, too, when $why: there is nothing else to go by', ({ view }) => {
		expect(decided(completed, view)).toEqual(done);
	});

	it('is decided anew when its workflow was edited while it waited', () => {
		const workflows = [{ ...aWorkflow(), generation: 2 }];
		const later = { executions: [succeeded], workflows, now: NOW + CONFIG.cooldownMs };
		expect(decided(completed, { executions: [succeeded], workflows })).toMatchObject({
			do: 'block',
			block: { reason: 'RecentlyRemediated' },
		});
		expect(decided(completed, later)).toMatchObject({ do: 'execute' });
	});

	it('in a dry run was a dry run, unless the workflow runs by now', () => {
		const dry = original({ phase: 'Completed', outcome: 'DryRun' });
		const workflows = [aWorkflow('restart', { mode: 'DryRun' })];
		expect(decided(dry, { workflows })).toMatchObject({ phase: 'Skipped', outcome: 'DryRun' });
		expect(decided(dry)).toMatchObject({ do: 'execute' });
	});
});

describe('a duplicate is decided anew when its original', () => {
	it.each<{ why: string; first: Remediation | undefined; view?: Partial<TargetView>; want: string }>([
		{
			why: 'failed: the next try, after the backoff',
			first: original({ phase: 'Failed', outcome: 'RemediationFailed' }),
			view: { executions: [anEnd('Failed', 6 * MINUTE)] },
			want: 'ExponentialBackoff',
		},
		{ why: 'lost its execution', first: original({ phase: 'Failed', outcome: 'ExecutionLost' }), want: 'execute' },
		{ why: 'timed out', first: original({ phase: 'TimedOut', outcome: 'TimedOut' }), want: 'execute' },
		{
			why: 'timed out while its execution goes on',
			first: original({ phase: 'TimedOut', outcome: 'TimedOut' }),
			view: { executions: [anExecution({ hasRun: true })] },
			want: 'ResourceBusy',
		},
		{ why: 'was resolved', first: original({ phase: 'Cancelled', outcome: 'Resolved' }), want: 'execute' },
		{
			why: 'was skipped for a success before this one came',
			first: original({ phase: 'Skipped', outcome: 'RemediatedByAnother' }),
			want: 'execute',
		},
		{ why: 'is gone', first: undefined, want: 'execute' },
		{ why: 'is another of the same name', first: { ...completed, uid: 'new' }, want: 'execute' },
		{ why: 'is being deleted', first: original({ deleting: true }), want: 'execute' },
		{ why: 'goes on', first: original(), want: 'nothing' },
	])('$why: $want', ({ first, view, want }) => {
		const decision = decided(first, view);
		expect(decision.do === 'block' ? decision.block.reason : decision.do).toBe(want);
	});

	it('failed: of several the oldest takes the next try, and the others wait for it', () => {
		const failed = original({ phase: 'Failed', outcome: 'RemediationFailed' });
		const others = ['a', 'b', 'c'].map((uid) => ({ ...duplicate, name: `rr-${uid}`, uid }));
		const view = aView({ requests: [failed, ...others], executions: [anEnd('Failed', 20 * MINUTE)] });
		const decisions = others.map((one) => decide(one, view, CONFIG));
		expect(decisions.map((one) => (one.do === 'block' ? one.block.duplicateOf?.name : one.do))).toEqual([
			'execute',
			'rr-a',
			'rr-a',
		]);
	});

	it('failed for the third time: all of them are blocked', () => {
		const failed = original({ phase: 'Failed', outcome: 'RemediationFailed' });
		const others = ['a', 'b'].map((uid) => ({ ...duplicate, name: `rr-${uid}`, uid }));
		const executions = [30, 20, 10].map((ago, chain) => anEnd('Failed', ago * MINUTE, { chain }));
		const view = aView({ requests: [failed, ...others], executions });
		for (const one of others)
			expect(decide(one, view, CONFIG)).toMatchObject({ do: 'block', block: { reason: 'ConsecutiveFailures' } });
	});
});

describe('a duplicate of a request that was rejected', () => {
	const workflows = [aWorkflow('restart', { mode: 'Approval' })];
	const digest = digestAskedBy(duplicate, aView({ workflows })) as string;
	const answer = { decision: 'Rejected', name: 'a', approver: 'anna', verified: true } as const;
	const rejected = (approval: Remediation['approval']) =>
		original({ phase: 'Cancelled', outcome: 'Rejected', approval });

	it('is rejected with it when it waited for the same answer', () => {
		expect(decided(rejected({ ...answer, digest }), { workflows })).toEqual({
			do: 'finish',
			phase: 'Cancelled',
			outcome: 'Rejected',
			message: 'rejected with rr-o, which asked for the very same run, by anna (verified)',
			duplicateOf: { name: 'rr-o', uid: 'uid-o' },
		});
	});

	it.each<{ why: string; approval: Remediation['approval']; view?: Partial<TargetView>; want: string }>([
		{ why: 'the answer was about the request itself', approval: answer, want: 'AwaitingApproval' },
		{
			why: 'something else is asked by now',
			approval: { ...answer, digest },
			view: { workflows: [{ ...workflows[0]!, generation: 2 }] },
			want: 'AwaitingApproval',
		},
		{
			why: 'nothing is asked any more',
			approval: { ...answer, digest },
			view: { workflows: [aWorkflow()] },
			want: 'execute',
		},
	])('is decided anew when $why: $want', ({ approval, view, want }) => {
		const decision = decided(rejected(approval), { workflows, ...view });
		expect(decision.do === 'block' ? decision.block.reason : decision.do).toBe(want);
	});

	it('is counted in the message of the one that was asked', () => {
		const asked = original();
		const approvalsOf = (uid: string) =>
			uid === asked.uid ? [anApproval({ requestUid: uid, decision: 'Rejected', reason: 'no', digest })] : [];
		const another = { ...duplicate, uid: 'other', block: { reason: 'Paused', message: 'x' } } as const;
		const view = aView({ requests: [asked, duplicate, another], workflows, approvalsOf });
		expect(decide(asked, view, CONFIG)).toMatchObject({
			message:
				'rejected by anna (not verified): no; requests that wait for the same answer and are cancelled with it: 1',
			answer: { decision: 'Rejected', digest },
		});
	});
});

describe('the deadline of a duplicate', () => {
	const timedOut = original({ phase: 'TimedOut', outcome: 'TimedOut' });
	const deadline = NOW - MINUTE + CONFIG.deadlineMs;
	const late = deadline - MINUTE;
	const asks = [aWorkflow('restart', { mode: 'Approval' })];

	it('is its own: it ends with its last words, and its original is what people were notified of', () => {
		expect(decided(timedOut, { now: deadline })).toEqual({
			do: 'finish',
			phase: 'TimedOut',
			outcome: 'TimedOut',
			message: 'the deadline passed before anything could run; last block: DuplicateInProgress, duplicate of rr-o',
			duplicateOf: { name: 'rr-o', uid: 'uid-o' },
		});
	});

	it.each([
		{ why: 'was resolved', first: original({ phase: 'Cancelled', outcome: 'Resolved' }) },
		{ why: 'is gone', first: undefined },
	])('is reported when its original $why, of which people were not notified', ({ first }) => {
		expect(decided(first, { now: deadline })).not.toHaveProperty('duplicateOf');
	});

	it('of a crowd: in its last part people are not asked again after the original timed out', () => {
		expect(decided(timedOut, { workflows: asks, now: late })).toEqual({ do: 'nothing', requeueAt: deadline });
		expect(decided(timedOut, { workflows: asks })).toMatchObject({ do: 'block' });
		const resolved = original({ phase: 'Cancelled', outcome: 'Resolved' });
		expect(decided(resolved, { workflows: asks, now: late })).toMatchObject({ do: 'block' });
	});

	it('of a crowd: in its last part it still runs when it can', () => {
		expect(decided(timedOut, { now: late })).toMatchObject({ do: 'execute' });
		const executions = [anEnd('Completed', MINUTE - (late - NOW), { run: 'another' })];
		expect(decided(timedOut, { executions, now: late })).toEqual({ do: 'nothing', requeueAt: deadline });
	});

	it('after repeated failures: it keeps the last failed execution, which people were notified of', () => {
		const holder = { name: 'we-2', uid: 'u' };
		const blocked = aBlockedRequest({ reason: 'ConsecutiveFailures', message: '3 runs failed', holder });
		expect(decide(blocked, aView({ requests: [blocked], now: deadline }), CONFIG)).toEqual({
			do: 'finish',
			phase: 'TimedOut',
			outcome: 'TimedOut',
			message: 'the deadline passed before anything could run; last block: ConsecutiveFailures, 3 runs failed',
			blockingExecution: holder,
		});
	});
});
