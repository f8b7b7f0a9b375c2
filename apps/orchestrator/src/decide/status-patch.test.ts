import { describe, expect, it } from 'vitest';
import { aBlockedRequest, anExecution, aRequest, at, NOW } from '../../test/harness/made-up.ts';
import type { RemediationRequestCondition } from '../generated/remediation-request.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { StatusPatch } from '../objects/request-patch.ts';
import { blockPatch, executingPatch, finishPatch, notifiedPatch } from './status-patch.ts';

const now = new Date(NOW + 999); // the API server keeps whole seconds
const condition = (type: string, reason: string, changes = {}): RemediationRequestCondition => ({
	type,
	status: 'False',
	reason,
	message: 'm',
	lastTransitionTime: at(NOW - 60_000),
	...changes,
});
const conditionsOf = (patch: StatusPatch) => patch['conditions'] as RemediationRequestCondition[];
const NO_BLOCK = {
	blockReason: null,
	blockMessage: null,
	blockedUntil: null,
	blockedSince: null,
	blockingWorkflowExecution: null,
};

describe('the patch of an execution', () => {
	it('names the execution and clears every field of a block', () => {
		const patch = executingPatch(aRequest({ generation: 7 }), anExecution(), 'runs', now);
		const executing = { reason: 'Executing', message: 'runs', observedGeneration: 7, lastTransitionTime: at(NOW) };
		expect(patch).toEqual({
			overallPhase: 'Executing',
			...NO_BLOCK,
			duplicateOf: null,
			approval: null,
			workflowExecutionRef: { name: 'we-0', uid: 'uid-of-we-0' },
			startTime: at(NOW),
			conditions: [
				{ type: 'Progressing', status: 'True', ...executing },
				{ type: 'Ended', status: 'False', ...executing },
				{ type: 'Succeeded', status: 'Unknown', ...executing },
			],
		});
	});

	it('says who approved', () => {
		const approval = { name: 'a', digest: 'd', approver: 'anna', verified: true };
		expect(executingPatch(aRequest(), anExecution({ approval }), 'x', now)).toMatchObject({
			approval: { ...approval, decision: 'Approved' },
		});
	});

	it('keeps the start time', () => {
		const startTime = at(NOW - 60_000);
		expect(executingPatch(aRequest({ startTime }), anExecution(), 'x', now)['startTime']).toBe(startTime);
	});
});

describe('the patch of a block', () => {
	it('has reason, end and holder, and clears the execution', () => {
		const block = {
			reason: 'ResourceBusy',
			message: 'held',
			until: at(NOW + 1000),
			holder: { name: 'we-x', uid: 'x' },
		} as const;
		expect(blockPatch(aRequest(), block, now)).toMatchObject({
			overallPhase: 'Blocked',
			blockedSince: at(NOW),
			blockReason: 'ResourceBusy',
			blockMessage: 'held',
			blockedUntil: at(NOW + 1000),
			blockingWorkflowExecution: { name: 'we-x', uid: 'x' },
			duplicateOf: null,
			approval: null,
			workflowExecutionRef: null,
		});
	});

	it('has the digest of what is asked', () => {
		const block = { reason: 'AwaitingApproval', message: 'x', digest: 'd' } as const;
		expect(blockPatch(aRequest(), block, now)).toMatchObject({ approval: { digest: 'd' } });
	});

	it('clears every field of the block before it', () => {
		const before = aBlockedRequest({ reason: 'ResourceBusy', message: 'x', until: at(NOW), holder: { name: 'w' } });
		expect(blockPatch(before, { reason: 'Paused', message: 'p' }, now)).toMatchObject({
			blockedUntil: null,
			blockingWorkflowExecution: null,
			duplicateOf: null,
		});
	});

	it('cuts the message to what the status can hold', () => {
		const patch = blockPatch(aRequest(), { reason: 'Paused', message: `${'x'.repeat(4095)}😀` }, now);
		expect(patch['blockMessage']).toHaveLength(4096);
		expect((patch['blockMessage'] as string).isWellFormed()).toBe(true);
	});
});

describe('the patch of an end', () => {
	it.each([
		{ phase: 'Completed', succeeded: 'True', failureReason: null },
		{ phase: 'Skipped', succeeded: 'True', failureReason: null },
		{ phase: 'Failed', succeeded: 'False', failureReason: 'why' },
		{ phase: 'TimedOut', succeeded: 'False', failureReason: 'why' },
		{ phase: 'Cancelled', succeeded: 'False', failureReason: null },
	] as const)('$phase: succeeded is $succeeded', ({ phase, succeeded, failureReason }) => {
		const patch = finishPatch(aRequest(), { phase, outcome: 'Resolved', message: 'why' }, now);
		expect(patch).toMatchObject({
			overallPhase: phase,
			...NO_BLOCK,
			duplicateOf: null,
			outcome: 'Resolved',
			failureReason,
			startTime: at(NOW),
			completedAt: at(NOW),
		});
		expect(conditionsOf(patch)).toMatchObject([
			{ type: 'Progressing', status: 'False', reason: phase, message: 'why' },
			{ type: 'Ended', status: 'True', reason: phase, message: 'why' },
			{ type: 'Succeeded', status: succeeded, reason: 'Resolved', message: 'why' },
		]);
		expect(patch).not.toHaveProperty('workflowExecutionRef');
	});

	it('has the original, the failed execution and the answer that it came from', () => {
		const of = { phase: 'TimedOut', outcome: 'TimedOut', message: 'm' } as const;
		const duplicateOf = { name: 'rr-o', uid: 'o' };
		expect(finishPatch(aRequest(), { ...of, duplicateOf }, now)).toMatchObject({ duplicateOf });
		const blockingExecution = { name: 'we-2', uid: 'u' };
		expect(finishPatch(aRequest(), { ...of, blockingExecution }, now)).toMatchObject({
			blockReason: null,
			blockingWorkflowExecution: blockingExecution,
		});
		const answer = { decision: 'Rejected', name: 'a', verified: false } as const;
		expect(finishPatch(aRequest(), { ...of, answer }, now)).toMatchObject({ approval: answer });
		expect(finishPatch(aRequest(), of, now)).not.toHaveProperty('approval'); // what was asked stays
	});
});

describe('conditions', () => {
	it.each<{ why: string; known: RemediationRequestCondition[]; wantTime: string }>([
		{ why: 'are new', known: [], wantTime: at(NOW) },
		{ why: 'say the same as before', known: [condition('Progressing', 'Paused')], wantTime: at(NOW - 60_000) },
		{ why: 'have another reason', known: [condition('Progressing', 'NoWorkflow')], wantTime: at(NOW - 60_000) },
		{ why: 'have another status', known: [condition('Progressing', 'Paused', { status: 'True' })], wantTime: at(NOW) },
	])('that $why: the time of the transition is $wantTime', ({ known, wantTime }) => {
		const request: Remediation = aRequest({ conditions: known });
		const [progressing] = conditionsOf(blockPatch(request, { reason: 'Paused', message: 'new' }, now));
		expect(progressing).toMatchObject({ message: 'new', lastTransitionTime: wantTime });
	});

	it('of other writers stay, and each type is there once', () => {
		const conditions = [condition('Other', 'X'), condition('Succeeded', 'Y'), condition('Progressing', 'Z')];
		const patch = blockPatch(aRequest({ conditions }), { reason: 'Paused', message: 'p' }, now);
		expect(conditionsOf(patch).map(({ type }) => type)).toEqual(['Other', 'Progressing', 'Ended', 'Succeeded']);
	});
});

describe('the patch of a notification', () => {
	it('keeps as many as the status can hold, the newest', () => {
		const notifications = Array.from({ length: 32 }, (_, i) => ({ name: `n${i}`, uid: 'u' }));
		const { notificationRequestRefs: refs } = notifiedPatch(aRequest({ notifications }), { name: 'b', uid: '2' });
		expect(refs).toHaveLength(32);
		expect((refs as { name: string }[]).at(-1)?.name).toBe('b');
	});

	it('adds it to the notifications before it', () => {
		const request = aRequest({ notifications: [{ name: 'a', uid: '1' }] });
		expect(notifiedPatch(request, { name: 'b', uid: '2' })).toEqual({
			notificationRequestRefs: [
				{ name: 'a', uid: '1' },
				{ name: 'b', uid: '2' },
			],
		});
	});
});
