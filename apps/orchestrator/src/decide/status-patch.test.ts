import { describe, expect, it } from 'vitest';
import { aBlockedRequest, anExecution, aRequest, at, NOW } from '../../test/harness/made-up.ts';
import type { RemediationRequestCondition } from '../generated/remediation-request.ts';
import type { Remediation } from '../objects/remediation.ts';
import { blockPatch, executingPatch, finishPatch, type StatusPatch, toldPatch } from './status-patch.ts';

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
const NO_BLOCK = { blockReason: null, blockMessage: null, blockedUntil: null, blockingWorkflowExecution: null };

describe('executing', () => {
	it('names the execution, ends every block, and says so', () => {
		const patch = executingPatch(aRequest(), anExecution(), 'runs', now);
		expect(patch).toEqual({
			overallPhase: 'Executing',
			...NO_BLOCK,
			duplicateOf: null,
			workflowExecutionRef: { name: 'we-0', uid: 'uid-of-we-0' },
			startTime: at(NOW),
			conditions: [
				{ type: 'Progressing', status: 'True', reason: 'Executing', message: 'runs', lastTransitionTime: at(NOW) },
				{ type: 'Succeeded', status: 'Unknown', reason: 'Executing', message: 'runs', lastTransitionTime: at(NOW) },
			],
		});
	});

	it('keeps the time when it was taken up', () => {
		const startTime = at(NOW - 60_000);
		expect(executingPatch(aRequest({ startTime }), anExecution(), 'x', now)['startTime']).toBe(startTime);
	});
});

describe('a block', () => {
	it('says why, until when, who is in the way, and takes the execution back', () => {
		const block = {
			reason: 'ResourceBusy',
			message: 'held',
			until: at(NOW + 1000),
			holder: { name: 'we-x', uid: 'x' },
		} as const;
		expect(blockPatch(aRequest(), block, now)).toMatchObject({
			overallPhase: 'Blocked',
			blockReason: 'ResourceBusy',
			blockMessage: 'held',
			blockedUntil: at(NOW + 1000),
			blockingWorkflowExecution: { name: 'we-x', uid: 'x' },
			duplicateOf: null,
			workflowExecutionRef: null,
		});
	});

	it('leaves nothing of the block before it', () => {
		const before = aBlockedRequest({ reason: 'ResourceBusy', message: 'x', until: at(NOW), holder: { name: 'w' } });
		expect(blockPatch(before, { reason: 'Paused', message: 'p' }, now)).toMatchObject({
			blockedUntil: null,
			blockingWorkflowExecution: null,
			duplicateOf: null,
		});
	});

	it('is no longer than the status holds', () => {
		const patch = blockPatch(aRequest(), { reason: 'Paused', message: `${'x'.repeat(2047)}😀` }, now);
		expect(patch['blockMessage']).toHaveLength(2048);
		expect((patch['blockMessage'] as string).isWellFormed()).toBe(true);
	});
});

describe('an end', () => {
	it.each([
		{ phase: 'Completed', succeeded: 'True', failureReason: null },
		{ phase: 'Skipped', succeeded: 'True', failureReason: null },
		{ phase: 'Failed', succeeded: 'False', failureReason: 'words' },
		{ phase: 'TimedOut', succeeded: 'False', failureReason: 'words' },
		{ phase: 'Cancelled', succeeded: 'False', failureReason: null },
	] as const)('$phase: succeeded is $succeeded', ({ phase, succeeded, failureReason }) => {
		const patch = finishPatch(aRequest(), { do: 'finish', phase, outcome: 'Out', message: 'words' }, now);
		expect(patch).toMatchObject({
			overallPhase: phase,
			...NO_BLOCK,
			duplicateOf: null,
			outcome: 'Out',
			failureReason,
			startTime: at(NOW),
			completedAt: at(NOW),
		});
		expect(conditionsOf(patch)).toMatchObject([
			{ type: 'Progressing', status: 'False', reason: phase, message: 'words' },
			{ type: 'Succeeded', status: succeeded, reason: 'Out', message: 'words' },
		]);
		expect(patch).not.toHaveProperty('workflowExecutionRef');
	});

	it('that was inherited keeps from whom', () => {
		const end = { do: 'finish', phase: 'Failed', outcome: 'X', message: 'm', inheritedFrom: aRequest() } as const;
		expect(finishPatch(aRequest(), end, now)).not.toHaveProperty('duplicateOf');
	});
});

describe('conditions', () => {
	it.each<{ why: string; known: RemediationRequestCondition[]; wantTime: string }>([
		{ why: 'are new', known: [], wantTime: at(NOW) },
		{ why: 'say the same as before', known: [condition('Progressing', 'Paused')], wantTime: at(NOW - 60_000) },
		{ why: 'have another reason', known: [condition('Progressing', 'NoWorkflow')], wantTime: at(NOW) },
		{ why: 'have another status', known: [condition('Progressing', 'Paused', { status: 'True' })], wantTime: at(NOW) },
	])('that $why have their time', ({ known, wantTime }) => {
		const request: Remediation = aRequest({ conditions: known });
		const [progressing] = conditionsOf(blockPatch(request, { reason: 'Paused', message: 'new' }, now));
		expect(progressing).toMatchObject({ message: 'new', lastTransitionTime: wantTime });
	});

	it('of others stay, and each type is there once', () => {
		const conditions = [condition('Other', 'X'), condition('Succeeded', 'Y'), condition('Progressing', 'Z')];
		const patch = blockPatch(aRequest({ conditions }), { reason: 'Paused', message: 'p' }, now);
		expect(conditionsOf(patch).map(({ type }) => type)).toEqual(['Other', 'Progressing', 'Succeeded']);
	});
});

describe('what was told', () => {
	it('is added to what was told before', () => {
		const request = aRequest({ notifications: [{ name: 'a', uid: '1' }] });
		expect(toldPatch(request, { name: 'b', uid: '2' })).toEqual({
			notificationRequestRefs: [
				{ name: 'a', uid: '1' },
				{ name: 'b', uid: '2' },
			],
		});
	});
});
