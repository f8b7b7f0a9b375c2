import { describe, expect, it } from 'vitest';
import {
	aBlockedRequest,
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
import { decide, TELL_FOR_ANOTHER_AFTER_MS, toWithdraw } from './decide.ts';
import type { Decision, TargetView } from './decision.ts';
import { notificationOf } from './notification.ts';

const decided = (request: Remediation, view: Partial<TargetView> = {}, config = CONFIG) =>
	decide(request, aView({ requests: [request], ...view }), config);
/** As it would be when people were told. */
function told(request: Remediation): Remediation {
	const name = notificationOf(request, ['log'])?.metadata.name ?? '';
	return { ...request, notifications: [{ name, uid: 'n' }] };
}
const REJECTED: Partial<TargetView> = { approvalOf: () => ({ decision: 'Rejected', reason: 'no' }) };
const ended = (changes: Partial<Remediation>) => aRequest({ completedAt: at(NOW), outcome: 'X', ...changes });
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
		{ why: 'is not known', execution: undefined, want: 'look' },
		{
			why: 'was turned away',
			execution: anExecution({ phase: 'Skipped', requestUid: 'uid-1', completionTime: at(NOW) }),
			want: 'block',
		},
		{ why: 'is another of the same name', execution: anExecution({ uid: 'another' }), want: 'look' },
	])('its execution $why: $want', ({ execution, want }) => {
		const decision = decided(executing(), { executions: execution === undefined ? [] : [execution] });
		expect(decision.do === 'finish' ? decision.phase : decision.do).toBe(want);
		expect(decision).toEqual(decision.do === 'finish' ? { ...decision, after: execution } : decision);
	});

	it.each<{ why: string; request: Remediation; view: Partial<TargetView> }>([
		{ why: 'neither resolved', request: executing({ resolvedAt: at(NOW) }), view: {} },
		{ why: 'nor paused', request: executing(), view: { pausedBecause: 'all' } },
		{
			why: 'nor rejected',
			request: executing(),
			view: REJECTED,
		},
		{ why: 'nor without a workflow', request: executing(), view: { workflows: [] } },
	])('goes on, $why', ({ request, view }) => {
		expect(decided(request, { executions: [anExecution()], ...view })).toMatchObject({ do: 'nothing' });
	});

	it('says why it failed in the words of the executor', () => {
		const failure = { reason: 'OOMKilled', message: 'long', summary: 'step x used too much' } as const;
		expect(decided(executing(), { executions: [anEnd('Failed', 0, { failure })] })).toMatchObject({
			message: 'we-0 ran restart and failed (OOMKilled): step x used too much',
		});
		expect(decided(executing(), { executions: [anEnd('Failed', 0)] })).toMatchObject({
			message: 'we-0 ran restart and failed (Unknown): it gave no reason',
		});
	});

	it('gives up when both the deadline and the run with some grace are over, and not before', () => {
		// Made half an hour ago with ten minutes to run: the deadline of four hours is later.
		const deadline = NOW - MINUTE + CONFIG.deadlineMs;
		const view = { executions: [anExecution()] };
		expect(decided(executing(), view)).toEqual({ do: 'nothing', againAt: deadline });
		expect(decided(executing(), { ...view, now: deadline - 1 })).toMatchObject({ do: 'nothing' });
		expect(decided(executing(), { ...view, now: deadline })).toMatchObject({ do: 'finish', phase: 'TimedOut' });
		const long = { executions: [anExecution({ timeoutMs: 300 * MINUTE })] };
		expect(decided(executing(), long)).toEqual({ do: 'nothing', againAt: NOW + (300 - 30 + 5) * MINUTE });
	});
});

describe('a request that waits', () => {
	it.each([
		{ why: 'new', request: aRequest() },
		{ why: 'Pending', request: aRequest({ phase: 'Pending' }) },
		{ why: 'blocked', request: aBlockedRequest({ reason: 'Paused', message: 'x' }) },
	])('and is $why adopts what was made for it, whatever else speaks against it', ({ request }) => {
		const ours = { requestUid: 'uid-1' };
		for (const execution of [anExecution(ours), anEnd('Completed', 0, ours), anEnd('Failed', 0, ours)])
			expect(
				decided({ ...request, resolvedAt: at(NOW) }, { executions: [execution], pausedBecause: 'all', now: NOW + 1e9 }),
			).toEqual({ do: 'adopt', execution });
		const turnedAway = anExecution({ requestUid: 'uid-1', phase: 'Skipped' });
		expect(decided(request, { executions: [turnedAway] }).do).not.toBe('adopt');
	});

	it('is cancelled when it was resolved, unless the setting says no', () => {
		const request = aRequest({ resolvedAt: at(NOW) });
		expect(decided(request)).toMatchObject({ do: 'finish', phase: 'Cancelled', outcome: 'Resolved' });
		expect(decided(request, {}, { ...CONFIG, cancelResolved: false })).toMatchObject({ do: 'execute' });
	});

	it('is cancelled by a no, in any mode and whatever it waits for; a yes alone lifts nothing', () => {
		const want = { do: 'finish', phase: 'Cancelled', outcome: 'Rejected', message: 'rejected by a person: no' };
		expect(decided(aRequest(), REJECTED)).toEqual(want);
		expect(decided(aRequest(), { ...REJECTED, pausedBecause: 'all' })).toEqual(want);
		const approved: Partial<TargetView> = { approvalOf: () => ({ decision: 'Approved', reason: 'yes' }) };
		expect(decided(aRequest(), { ...approved, pausedBecause: 'all' })).toMatchObject({ do: 'block' });
	});

	it('times out after the deadline, with what it last waited for', () => {
		const request = aBlockedRequest({ reason: 'NoWorkflow', message: 'none' });
		const deadline = NOW - MINUTE + CONFIG.deadlineMs;
		expect(decided(request, { now: deadline })).toMatchObject({
			phase: 'TimedOut',
			message: 'nothing could be done in time; last: NoWorkflow, none',
		});
		expect(decided(aRequest(), { now: deadline })).toMatchObject({
			message: 'nothing could be done in time; last: not looked at',
		});
	});

	it('that waits as before does nothing until its block or the deadline ends', () => {
		const view = { executions: [anEnd('Completed', MINUTE)], requests: [] };
		const first = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(first.block.reason).toBe('RecentlyRemediated');
		const request = aBlockedRequest(first.block);
		expect(decided(request, view)).toEqual({ do: 'nothing', againAt: NOW + 4 * MINUTE });
		const short = { ...CONFIG, deadlineMs: 2 * MINUTE };
		expect(decided(request, view, short)).toEqual({ do: 'nothing', againAt: NOW + MINUTE });
	});

	it.each([
		{ why: 'reason', change: { reason: 'Paused' } as const },
		{ why: 'end', change: { until: at(NOW) } },
		{ why: 'holder', change: { holder: { name: 'other' } } },
		{ why: 'original', change: { duplicateOf: { name: 'o', uid: 'o' } } },
	])('is written again when the $why changed', ({ change }) => {
		const view = { executions: [anExecution()] };
		const { block } = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(decided(aBlockedRequest(block), view).do).toBe('nothing');
		expect(decided(aBlockedRequest({ ...block, ...change }), view).do).toBe('block');
	});

	it('is written again when only the words say what it waits for, and they changed', () => {
		const view = { workflows: [] };
		const { block } = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(decided(aBlockedRequest({ ...block, message: 'other' }), view).do).toBe('block');
	});

	it.each([
		{ why: 'in other words', change: { message: 'other' }, want: 'nothing' },
		{ why: 'for longer', change: { until: at(NOW + 9 * MINUTE) }, want: 'nothing' },
		{
			why: 'for longer, and for another reason',
			change: { until: at(NOW + 9 * MINUTE), reason: 'ExponentialBackoff' } as const,
			want: 'nothing',
		},
		{ why: 'for a shorter time', change: { until: at(NOW + MINUTE) }, want: 'block' },
	])('another replica wrote that it waits for the same $why: $want', ({ change, want }) => {
		const view = { executions: [anEnd('Completed', MINUTE)], requests: [] };
		const { block } = decided(aRequest(), view) as Extract<Decision, { do: 'block' }>;
		expect(decided(aBlockedRequest({ ...block, ...change }), view).do).toBe(want);
	});

	it('whose message is longer than the status holds waits as before, too', () => {
		const workflows = [aWorkflow('restart', { parameters: { P: `{{ labels.${'x'.repeat(4000)} }}` } })];
		const { block } = decided(aRequest(), { workflows }) as Extract<Decision, { do: 'block' }>;
		const stored = told(aBlockedRequest({ ...block, message: block.message.slice(0, 2048) }));
		expect(decided(stored, { workflows })).toMatchObject({ do: 'nothing' });
	});
});

describe('a duplicate', () => {
	const duplicate = aBlockedRequest({
		reason: 'DuplicateInProgress',
		message: 'x',
		duplicateOf: { name: 'rr-o', uid: 'uid-o' },
	});
	const original = (changes: Partial<Remediation>) => aRequest({ name: 'rr-o', uid: 'uid-o', ...changes });
	it.each([
		{ phase: 'Completed', outcome: 'Remediated', want: 'Skipped' },
		{ phase: 'Completed', outcome: 'DryRun', want: 'Skipped' },
		{ phase: 'Skipped', outcome: 'RemediatedByAnother', want: 'Skipped' },
		{ phase: 'Failed', outcome: 'RemediationFailed', want: 'Failed' },
		{ phase: 'Failed', outcome: 'ExecutionLost', want: 'Failed' },
		{ phase: 'TimedOut', outcome: 'TimedOut', want: 'TimedOut' },
		{ phase: 'Cancelled', outcome: 'Rejected', want: 'Cancelled' },
	] as const)('of one that is $phase ($outcome) is $want', ({ phase, outcome, want }) => {
		const first = original({ phase, outcome, failureReason: 'why' });
		expect(decided(duplicate, { requests: [first, duplicate] })).toEqual({
			do: 'finish',
			phase: want,
			outcome,
			message: 'as rr-o, which stood for the same target and workflow: why',
			inheritedFrom: first,
		});
	});

	it.each([
		{ why: 'was resolved', requests: [original({ phase: 'Cancelled', outcome: 'Resolved' })], want: 'execute' },
		{ why: 'is gone', requests: [], want: 'execute' },
		{
			why: 'is another of the same name',
			requests: [aRequest({ name: 'rr-o', uid: 'new', phase: 'Completed' })],
			want: 'execute',
		},
		{ why: 'is being deleted', requests: [original({ deleting: true })], want: 'execute' },
		{ why: 'goes on', requests: [original({ createdAt: at(NOW - 9 * MINUTE) })], want: 'nothing' },
	])('of one that $why is decided anew: $want', ({ requests, want }) => {
		expect(decided(duplicate, { requests: [...requests, duplicate] }).do).toBe(want);
	});
});

describe('a block or an end that somebody should know of', () => {
	const blocked = aBlockedRequest(
		{
			reason: 'NoWorkflow',
			message: `no RemediationWorkflow matches the signal Crash (severity critical) about ${TARGET}`,
		},
		{
			conditions: [
				{ type: 'Progressing', status: 'False', reason: 'NoWorkflow', message: '', lastTransitionTime: at(NOW) },
			],
		},
	);
	it.each([
		{ why: 'a block', request: blocked },
		{ why: 'an end', request: ended({ phase: 'Failed' }) },
	])('$why is told by another when whoever wrote it did not in time', ({ request }) => {
		const view = { workflows: [] };
		const dueAt = NOW + TELL_FOR_ANOTHER_AFTER_MS;
		expect(decided(request, view)).toEqual({ do: 'nothing', againAt: dueAt });
		expect(decided(request, { ...view, now: dueAt - 1 })).toEqual({ do: 'nothing', againAt: dueAt });
		expect(decided(request, { ...view, now: dueAt })).toEqual({ do: 'notify' });
		expect(decided(told(request), { ...view, now: dueAt })).toMatchObject({ do: 'nothing' });
	});

	it('is waited for with patience, also when the retention is shorter than that', () => {
		const config = { ...CONFIG, retentionMs: 1000 };
		const request = ended({ phase: 'Failed' });
		expect(decided(request, { now: NOW + 2000 }, config)).toEqual({
			do: 'nothing',
			againAt: NOW + TELL_FOR_ANOTHER_AFTER_MS,
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
		{ why: 'nobody was told of it', request: old({ phase: 'Failed' }), want: 'notify' },
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
			why: 'its execution has the target',
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
			why: 'its execution announces one that nobody made yet',
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

	it('is looked at again when its time is over', () => {
		const request = ended({ phase: 'Skipped' });
		expect(decided(request)).toEqual({ do: 'nothing', againAt: NOW + CONFIG.retentionMs });
	});
});

describe('executions to withdraw', () => {
	const over = aRequest({ phase: 'Cancelled' });
	const idle = anExecution({ requestUid: over.uid });
	it.each([
		{ why: 'one that has not begun', request: over, execution: idle, want: ['we-0'] },
		{ why: 'one that is Pending', request: over, execution: { ...idle, phase: 'Pending' as const }, want: ['we-0'] },
		{ why: 'one that has a run', request: over, execution: { ...idle, hasRun: true }, want: [] },
		{ why: 'one that ended', request: over, execution: { ...idle, phase: 'Failed' as const }, want: [] },
		{ why: 'one that is being deleted', request: over, execution: { ...idle, deleting: true }, want: [] },
		{ why: 'one whose request goes on', request: aRequest(), execution: idle, want: [] },
		{ why: 'one of another request', request: over, execution: anExecution(), want: [] },
	])('$why: $want', ({ request, execution, want }) => {
		const view = aView({ requests: [request], executions: [execution] });
		expect(toWithdraw(view).map(({ name }) => name)).toEqual(want);
	});
});
