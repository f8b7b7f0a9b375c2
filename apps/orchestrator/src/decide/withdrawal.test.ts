import { describe, expect, it } from 'vitest';
import { anEnd, anExecution, aRequest, at, aView, NOW } from '../../test/harness/made-up.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import { toWithdraw } from './withdrawal.ts';

const OURS = anExecution({ requestUid: 'uid-1' });
const CONFIG = { cancelResolved: true };
const messages = (view: TargetView, config = CONFIG) => toWithdraw(view, config).map(({ message }) => message);
const viewOf = (changes: Partial<Remediation>, more: Partial<TargetView> = {}) =>
	aView({ requests: [aRequest({ phase: 'Executing', ...changes })], executions: [OURS], ...more });
const rejected = () => ({ decision: 'Rejected', reason: 'no' }) as const;

describe('an execution that has not begun', () => {
	it.each([
		{ why: 'its request is over', view: viewOf({ phase: 'Cancelled' }), want: /over before it began/ },
		{
			why: 'its target is paused',
			view: viewOf({}, { pausedBecause: 'all stop' }),
			want: /^paused before .*: all stop$/,
		},
		{ why: 'its request was rejected', view: viewOf({}, { approvalOf: rejected }), want: /rejected before it began/ },
		{ why: 'its signal was resolved', view: viewOf({ resolvedAt: at(NOW) }), want: /resolved before it began/ },
		{
			why: 'its target is paused, and its request is gone',
			view: aView({ executions: [OURS], pausedBecause: 'all stop' }),
			want: /paused/,
		},
	])('is withdrawn when $why', ({ view, want }) => {
		expect(messages(view)).toEqual([expect.stringMatching(want)]);
	});

	it('stays when nothing speaks against it, or when resolved signals do not cancel', () => {
		expect(messages(viewOf({}))).toEqual([]);
		expect(messages(viewOf({ resolvedAt: at(NOW) }), { cancelResolved: false })).toEqual([]);
		expect(messages(viewOf({}, { approvalOf: () => ({ decision: 'Approved', reason: 'yes' }) }))).toEqual([]);
	});
});

describe('an execution that has begun, is over or is terminating', () => {
	it('goes on, whatever became of its request', () => {
		for (const execution of [
			{ ...OURS, hasRun: true },
			anEnd('Failed', 0, { requestUid: 'uid-1' }),
			{ ...OURS, deleting: true },
		])
			expect(messages(viewOf({ phase: 'Cancelled' }, { executions: [execution], pausedBecause: 'all' }))).toEqual([]);
	});
});
