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
	TARGET,
} from '../../test/harness/made-up.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import { digestAskedBy } from './approval.ts';
import { decide, NOTIFY_FOR_ANOTHER_AFTER_MS } from './decide.ts';
import type { Decision } from './decision.ts';
import { notificationOf } from './notification.ts';

const decided = (request: Remediation, view: Partial<TargetView> = {}, config = CONFIG) =>
	decide(request, aView({ requests: [request], ...view }), config);
/** The same request after its notification was made. */
function notified(request: Remediation): Remediation {
	const name = notificationOf(request, { channels: ['log'] })?.metadata.name ?? '';
	return { ...request, notifications: [{ name, uid: 'n' }] };
}
const REJECTED: Partial<TargetView> = { approvalsOf: () => [anApproval({ decision: 'Rejected', reason: 'no' })] };
const ended = (changes: Partial<Remediation>) => aRequest({ completedAt: at(NOW), outcome: 'Resolved', ...changes });
const executing = (changes: Partial<Remediation> = {}) =>
	aRequest({
		phase: 'Executing',
		executionRef: { name: 'we-0', uid: 'uid-of-we-0' },
		startTime: at(NOW - MINUTE),
		...changes,
	});

describe('a request that is executed', () => {
	it.each([
		{ why: 'has not begun', execution: anExecution(), want: 'nothing' },
		{ why: 'runs', execution: anExecution({ phase: 'Running', hasRun: true }), want: 'nothing' },
		{ why: 'succeeded', execution: anEnd('Completed', 0), want: 'Completed' },
		{ why: 'failed', execution: anEnd('Failed', 0), want: 'Failed' },
		{ why: 'is not known', execution: undefined, want: 'verifyExecution' },
		{
			why: 'was skipped',
			execution: anExecution({ phase: 'Skipped', requestUid: 'uid-1', completionTime: at(NOW) }),
			want: 'block',
		},
		{ why: 'is another of the same name', execution: anExecution({ uid: 'another' }), want: 'verifyExecution' },
	])('its execution $why: $want', ({ execution, want }) => {
		const decision = decided(executing(), { executions: execution === undefined ? [] : [execution] });
		expect(decision.do === 'finishExecuted' ? decision.phase : decision.do).toBe(want);
	});

	it.each<{ why: string; request: Remediation; view: Partial<TargetView> }>([
		{ why: 'its signal was resolved', request: executing({ resolvedAt: at(NOW) }), view: {} },
		{ why: 'its target was paused', request: executing(), view: { pausedBecause: 'all' } },
		{ why: 'it was rejected', request: executing(), view: REJECTED },
		{ why: 'its workflow was deleted', request: executing(), view: { workflows: [] } },
	])('goes on when $why', ({ request, view }) => {
		expect(decided(request, { executions: [anExecution()], ...view })).toMatchObject({ do: 'nothing' });
	});

	it('that failed has the message of the executor', () => {
		const failure = { reason: 'OOMKilled', why: 'step x used too much' } as const;
		expect(decided(executing(), { executions: [anEnd('Failed', 0, { failure })] })).toMatchObject({
			message: 'we-0 ran restart and failed (OOMKilled): step x used too much',
		});
		expect(decided(executing(), { executions: [anEnd('Failed', 0)] })).toMatchObject({
			message: 'we-0 ran restart and failed (Unknown): no reason given',
		});
	});

	it('times out when both the deadline and the timeout of the run, with a grace, have passed', () => {
		// Made half an hour ago with ten minutes to run: the deadline of four hours is later.
		const deadline = NOW - MINUTE + CONFIG.deadlineMs;
		const view = { executions: [anExecution()] };
		expect(decided(executing(), view)).toEqual({ do: 'nothing', requeueAt: deadline });
		expect(decided(executing(), { ...view, now: deadline - 1 })).toMatchObject({ do: 'nothing' });
		expect(decided(executing(), { ...view, now: deadline })).toMatchObject({ do: 'finishExecuted', phase: 'TimedOut' });
		const long = { executions: [anExecution({ timeoutMs: 300 * MINUTE })] };
		expect(decided(executing(), long)).toEqual({ do: 'nothing', requeueAt: NOW + (300 - 30 + 5) * MINUTE });
	});
});

describe('a request that waits', () => {
	it.each([
		{ why: 'new', request: aRequest() },
		{ why: 'Pending', request: aRequest({ phase: 'Pending' }) },
		{ why: 'blocked', request: aBlockedRequest({ reason: 'Paused', message: 'x' }) },
	])('and is $why adopts the execution that was made for it, whatever else would block it', ({ request }) => {
		const ours = { requestUid: 'uid-1' };
		for (const execution of [anExecution(ours), anEnd('Completed', 0, ours), anEnd('Failed', 0, ours)])
			expect(
				decided({ ...request, resolvedAt: at(NOW) }, { executions: [execution], pausedBecause: 'all', now: NOW + 1e9 }),
			).toEqual({ do: 'adopt', execution });
		const skipped = anExecution({ requestUid: 'uid-1', phase: 'Skipped' });
		expect(decided(request, { executions: [skipped] }).do).not.toBe('adopt');
	});

	it('is cancelled when its signal was resolved, unless ROUTING_CANCEL_RESOLVED is off', () => {
		const request = aRequest({ resolvedAt: at(NOW) });
		expect(decided(request)).toMatchObject({ do: 'finish', phase: 'Cancelled', outcome: 'Resolved' });
		expect(decided(request, {}, { ...CONFIG, cancelResolved: false })).toMatchObject({ do: 'execute' });
	});

	it('is cancelled by a rejection, in any mode and whatever blocks it; an approval lifts no other block', () => {
		const want = {
			do: 'finish',
			phase: 'Cancelled',
			outcome: 'Rejected',
			message: 'rejected by on-call (not verified): no',
			answer: { decision: 'Rejected', name: 'approval-1', approver: 'on-call', verified: false },
		};
		expect(decided(aRequest(), REJECTED)).toEqual(want);
		expect(decided(aRequest(), { ...REJECTED, pausedBecause: 'all' })).toEqual(want);
		const workflows = [aWorkflow('restart', { mode: 'Approval' })];
		const digest = digestAskedBy(aRequest(), aView({ workflows }));
		const approved: Partial<TargetView> = { workflows, approvalsOf: () => [anApproval({ digest })] };
		expect(decided(aRequest(), approved)).toMatchObject({ do: 'execute' });
		expect(decided(aRequest(), { ...approved, pausedBecause: 'all' })).toMatchObject({ do: 'block' });
	});

	it('times out after the deadline, and names its last block', () => {
		const request = aBlockedRequest({ reason: 'NoWorkflow', message: 'none' });
		const deadline = NOW - MINUTE + CONFIG.deadlineMs;
		expect(decided(request, { now: deadline })).toMatchObject({
			phase: 'TimedOut',
			message: 'the deadline passed before anything could run; last block: NoWorkflow, none',
		});
		expect(decided(aRequest(), { now: deadline })).toMatchObject({
			message: 'the deadline passed before anything could run; it was never blocked',
		});
	});

	it('whose block is unchanged is requeued when its block ends or the deadline passes', () => {
		const view = { executions: [anEnd('Completed', MINUTE)], requests: [] };
		const first = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(first.block.reason).toBe('RecentlyRemediated');
		const request = aBlockedRequest(first.block);
		expect(decided(request, view)).toEqual({ do: 'nothing', requeueAt: NOW + 4 * MINUTE });
		const short = { ...CONFIG, deadlineMs: 2 * MINUTE };
		expect(decided(request, view, short)).toEqual({ do: 'nothing', requeueAt: NOW + MINUTE });
	});

	it.each([
		{ why: 'reason', change: { reason: 'Paused' } as const },
		{ why: 'end', change: { until: at(NOW) } },
		{ why: 'holder', change: { holder: { name: 'other' } } },
		{ why: 'original', change: { duplicateOf: { name: 'o', uid: 'o' } } },
	])('has its block written again when the $why of the block changed', ({ change }) => {
		const view = { executions: [anExecution()] };
		const { block } = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(decided(aBlockedRequest(block), view).do).toBe('nothing');
		expect(decided(aBlockedRequest({ ...block, ...change }), view).do).toBe('block');
	});

	it('has its block written again when only the message says what it waits for, and it changed', () => {
		const view = { workflows: [] };
		const { block } = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(decided(aBlockedRequest({ ...block, message: 'other' }), view).do).toBe('block');
	});

	it.each([
		{ why: 'with another message', change: { message: 'other' }, want: 'nothing' },
		{ why: 'for longer', change: { until: at(NOW + 9 * MINUTE) }, want: 'nothing' },
		{
			why: 'for longer, and for another reason',
			change: { until: at(NOW + 9 * MINUTE), reason: 'ExponentialBackoff' } as const,
			want: 'nothing',
		},
		{ why: 'for a shorter time', change: { until: at(NOW + MINUTE) }, want: 'block' },
	])('whose block another replica wrote $why: $want', ({ change, want }) => {
		const view = { executions: [anEnd('Completed', MINUTE)], requests: [] };
		const { block } = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(decided(aBlockedRequest({ ...block, ...change }), view).do).toBe(want);
	});

	it('whose block message is longer than the status can hold is not written again', () => {
		const workflows = [aWorkflow('restart', { parameters: { P: `{{ labels.${'x'.repeat(5000)} }}` } })];
		const { block } = decided(aRequest(), { workflows }) as Extract<Decision, { do: 'block' }>;
		const stored = notified(aBlockedRequest({ ...block, message: block.message.slice(0, 4096) }));
		expect(decided(stored, { workflows })).toMatchObject({ do: 'nothing' });
	});
});

describe('a state that asks for a notification', () => {
	const blocked = aBlockedRequest(
		{
			reason: 'NoWorkflow',
			message: `no RemediationWorkflow matches the signal Crash (severity critical) on ${TARGET}`,
		},
		{ blockedSince: at(NOW) },
	);
	it.each([
		{ why: 'a block', request: blocked },
		{ why: 'an end', request: ended({ phase: 'Failed' }) },
	])('$why is notified by another replica when its writer did not in time', ({ request }) => {
		const view = { workflows: [] };
		const dueAt = NOW + NOTIFY_FOR_ANOTHER_AFTER_MS;
		expect(decided(request, view)).toEqual({ do: 'nothing', requeueAt: dueAt });
		expect(decided(request, { ...view, now: dueAt - 1 })).toEqual({ do: 'nothing', requeueAt: dueAt });
		expect(decided(request, { ...view, now: dueAt })).toEqual({ do: 'notify' });
		expect(decided(notified(request), { ...view, now: dueAt })).toMatchObject({ do: 'nothing' });
	});

	it('is left to its writer for that time, also when the retention is shorter', () => {
		const config = { ...CONFIG, retentionMs: 1000 };
		const request = ended({ phase: 'Failed' });
		expect(decided(request, { now: NOW + 2000 }, config)).toEqual({
			do: 'nothing',
			requeueAt: NOW + NOTIFY_FOR_ANOTHER_AFTER_MS,
		});
	});
});

describe('a finished request', () => {
	const old = (changes: Partial<Remediation> = {}) =>
		ended({ phase: 'Skipped', completedAt: at(NOW - CONFIG.retentionMs), ...changes });
	const link = (chain: number, changes: Partial<Remediation> = {}) =>
		old({ name: `rr-${chain}`, uid: `uid-${chain}`, chain, fingerprint: 'f', ...changes });
	it.each<{ why: string; request: Remediation; view?: Partial<TargetView>; want: Decision['do'] }>([
		{ why: 'its time is over', request: old(), want: 'remove' },
		{
			why: 'it does not say when it ended',
			request: aRequest({ phase: 'Skipped', createdAt: at(NOW - CONFIG.retentionMs) }),
			want: 'remove',
		},
		{
			why: 'its time is not over',
			request: old({ completedAt: at(NOW - CONFIG.retentionMs + 1000) }),
			want: 'nothing',
		},
		{ why: 'it is being deleted', request: old({ deleting: true }), want: 'nothing' },
		{ why: 'its notification was not made', request: old({ phase: 'Failed' }), want: 'notify' },
		{
			why: 'its successor is there',
			request: link(0, { successor: 'rr-1' }),
			view: { requests: [link(0), link(1)] },
			want: 'remove',
		},
		{ why: 'its successor is not there', request: link(0, { successor: 'rr-1' }), want: 'nothing' },
		{ why: 'an older link is there', request: link(1), view: { requests: [link(0), link(1)] }, want: 'nothing' },
		{
			why: 'an older link of another chain is there',
			request: link(1),
			view: { requests: [link(1), link(0, { fingerprint: 'g' })] },
			want: 'remove',
		},
		{
			why: 'its execution holds the target',
			request: old(),
			view: { executions: [anExecution({ requestUid: 'uid-1', hasRun: true })] },
			want: 'nothing',
		},
		{
			why: 'its execution is long over',
			request: old(),
			view: { executions: [anEnd('Completed', CONFIG.failureWindowMs, { requestUid: 'uid-1' })] },
			want: 'remove',
		},
		{
			why: 'failures are still judged from its execution',
			request: old(),
			view: { executions: [anEnd('Failed', CONFIG.failureWindowMs - MINUTE, { requestUid: 'uid-1' })] },
			want: 'nothing',
		},
		{
			why: 'the cooldown of its execution is not over',
			request: old(),
			view: {
				executions: [anEnd('Completed', 30 * 60 * MINUTE, { requestUid: 'uid-1', cooldownMs: 48 * 60 * MINUTE })],
			},
			want: 'nothing',
		},
		{
			why: 'its execution announces a successor that was not made yet',
			request: old(),
			view: { executions: [anEnd('Completed', 2 * 60 * MINUTE, { requestUid: 'uid-1', successor: 'we-1' })] },
			want: 'nothing',
		},
		{
			why: 'others came after its execution, whatever became of the next',
			request: old(),
			view: {
				executions: [
					anEnd('Completed', 2 * 60 * MINUTE, { requestUid: 'uid-1', successor: 'we-1' }),
					anExecution({ name: 'we-2', uid: 'u2', chain: 2, requestUid: 'uid-9' }),
				],
			},
			want: 'remove',
		},
	])('$why: $want', ({ request, view, want }) => {
		expect(decided(request, view).do).toBe(want);
	});

	it('is requeued when its retention ends', () => {
		const request = ended({ phase: 'Skipped' });
		expect(decided(request)).toEqual({ do: 'nothing', requeueAt: NOW + CONFIG.retentionMs });
	});
});

describe('a block that stands', () => {
	const wait = { reason: 'ConfigurationError', message: 'frozen', until: at(NOW + MINUTE) } as const;

	it('after a create that the API server did not take holds until its time, in every replica', () => {
		const request = notified(aBlockedRequest(wait));
		expect(decided(request)).toEqual({ do: 'nothing', requeueAt: NOW + MINUTE });
		expect(decided(request, { now: NOW + MINUTE })).toMatchObject({ do: 'execute' });
		const unread = aBlockedRequest({ ...wait, reason: 'Paused' });
		expect(decided(unread)).toEqual({ do: 'nothing', requeueAt: NOW + MINUTE });
	});

	it('after a create gives way to what routing says otherwise', () => {
		const request = notified(aBlockedRequest(wait));
		expect(decided(request, { workflows: [] })).toMatchObject({ do: 'block', block: { reason: 'NoWorkflow' } });
	});

	it('is kept through a pause, also when its time is over: a pause is written once, into requests without a block', () => {
		const deadline = NOW - MINUTE + CONFIG.deadlineMs;
		for (const reason of ['NoWorkflow', 'Paused', 'RecentlyRemediated'] as const) {
			const request = notified(aBlockedRequest({ reason, message: 'as it was', until: at(NOW - 1000) }));
			expect(decided(request, { pausedBecause: 'all' })).toEqual({ do: 'nothing', requeueAt: deadline });
		}
		for (const request of [aRequest(), executing()]) {
			const executions = [anExecution({ requestUid: request.uid, phase: 'Skipped' })];
			expect(decided(request, { pausedBecause: 'all', executions })).toEqual({
				do: 'block',
				block: { reason: 'Paused', message: 'all' },
			});
		}
	});

	it('of a paused request is decided anew when the pause is lifted', () => {
		expect(decided(aBlockedRequest({ reason: 'Paused', message: 'all' }))).toMatchObject({ do: 'execute' });
	});

	it('is named at the deadline, and the pause with it', () => {
		const now = NOW + CONFIG.deadlineMs;
		const message = 'the deadline passed before anything could run; last block: ConfigurationError, frozen; all stop';
		expect(decided(aBlockedRequest(wait), { now, pausedBecause: 'all stop' })).toMatchObject({
			phase: 'TimedOut',
			message,
		});
	});
});
