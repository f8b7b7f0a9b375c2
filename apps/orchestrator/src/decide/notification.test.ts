import { describe, expect, it } from 'vitest';
import { aBlockedRequest, aRequest, at, MINUTE, NOW, TARGET } from '../../test/harness/made-up.ts';
import { NOTIFICATION_REQUEST_LIMITS as LIMITS } from '../generated/notification-request.ts';
import { REMEDIATION_REQUEST_BLOCK_REASONS, REMEDIATION_REQUEST_PHASES } from '../generated/remediation-request.ts';
import type { Block, BlockReason, Phase, Remediation } from '../objects/remediation.ts';
import { isNotified, notifiableSince, notificationOf } from './notification.ts';

const inPhase = (phase: Phase, changes: Partial<Remediation> = {}) => aRequest({ phase, ...changes });
const blockedBy = (reason: BlockReason) => aBlockedRequest({ reason, message: 'why' });
const notificationFor = (request: Remediation) => {
	const { metadata, spec } = notificationOf(request, { channels: ['log'] }) ?? {};
	return metadata && `${metadata.name.split('-').slice(3).join('-')}: ${spec?.type}, ${spec?.priority}`;
};

describe('the states that are notified', () => {
	const byPhase: Partial<Record<Phase, string>> = {
		Completed: 'completed: Completion, Low',
		Failed: 'failed: Escalation, Critical',
		TimedOut: 'timed-out: Escalation, Critical',
	};
	it.each(REMEDIATION_REQUEST_PHASES.filter((phase) => phase !== 'Blocked'))('phase %s', (phase) => {
		expect(notificationFor(inPhase(phase))).toBe(byPhase[phase]);
	});

	const byReason: Partial<Record<BlockReason, string>> = {
		NoWorkflow: 'no-workflow: Escalation, Critical',
		ConsecutiveFailures: 'consecutive-failures: Escalation, Critical',
		ConfigurationError: 'configuration-error: ManualReview, High',
		AwaitingApproval: 'awaiting-approval: ManualReview, High',
	};
	it.each(REMEDIATION_REQUEST_BLOCK_REASONS)('block reason %s', (reason) => {
		expect(notificationFor(blockedBy(reason))).toBe(byReason[reason]);
	});

	it('a dry run is a StatusUpdate, not a Completion', () => {
		expect(notificationFor(inPhase('Completed', { outcome: 'DryRun' }))).toBe('dry-run: StatusUpdate, Low');
	});

	it('a rejection is a StatusUpdate', () => {
		expect(notificationFor(inPhase('Cancelled', { outcome: 'Rejected' }))).toBe('rejected: StatusUpdate, Low');
	});

	it('the end of a duplicate is not notified', () => {
		const duplicateOf = { name: 'rr-o', uid: 'o' };
		for (const phase of ['Skipped', 'Failed', 'TimedOut', 'Cancelled'] as const)
			expect(notificationFor(inPhase(phase, { duplicateOf, outcome: 'Rejected' }))).toBeUndefined();
	});

	it('a time-out after repeated failures is not notified: the failures were', () => {
		expect(notificationFor(inPhase('TimedOut', { blockingExecution: { name: 'we-2', uid: 'u' } }))).toBeUndefined();
	});

	it.each([
		{ severity: 'critical', want: 'Critical' },
		{ severity: 'warning', want: 'Medium' },
		{ severity: 'info', want: 'Medium' },
		{ severity: 'page', want: 'High' },
	])('an escalation is as urgent as its signal: $severity is $want', ({ severity, want }) => {
		const request = inPhase('Failed');
		const notification = notificationOf({ ...request, signal: { ...request.signal, severity } }, { channels: ['log'] });
		expect(notification?.spec.priority).toBe(want);
	});
});

describe('a notification', () => {
	const failed = inPhase('Failed', { outcome: 'RemediationFailed', failureReason: 'step x exited with 1' });
	const request: Remediation = {
		...failed,
		fingerprint: 'a'.repeat(64),
		chain: 3,
		executionRef: { name: 'we-1', uid: 'uid-of-we-1' },
		signal: { ...failed.signal, labels: { team: 'checkout' } },
	};
	it('is owned by its request and names signal, target, state, cause and firing time', () => {
		expect(notificationOf(request, { channels: ['slack', 'log'], workflow: 'restart' })).toEqual({
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'NotificationRequest',
			metadata: {
				name: expect.stringMatching(/^rr-1-[0-9a-f]{8}-failed$/),
				ownerReferences: [
					{
						apiVersion: 'kubernaut.ai/v1alpha1',
						kind: 'RemediationRequest',
						name: 'rr-1',
						uid: 'uid-1',
						controller: true,
					},
				],
			},
			spec: {
				remediationRequestRef: { name: 'rr-1', uid: 'uid-1' },
				type: 'Escalation',
				priority: 'Critical',
				subject: `Remediation failed: Crash on ${TARGET}`,
				body: [
					'Signal: Crash (severity critical, from alertmanager)',
					`Target: ${TARGET}`,
					'State: Failed, RemediationFailed',
					'Why: step x exited with 1',
					`Firing since: ${request.firingTime}`,
					'More: kubectl describe remediationrequest rr-1',
				].join('\n'),
				channels: ['slack', 'log'],
				context: {
					cause: 'failed',
					signalName: 'Crash',
					severity: 'critical',
					signalFingerprint: 'a'.repeat(64),
					firingTime: request.firingTime,
					chain: 3,
					targetResource: TARGET,
					workflow: 'restart',
					execution: 'we-1',
					outcome: 'RemediationFailed',
					labels: { team: 'checkout' },
				},
			},
		});
	});

	it('without channels leaves them to the routing of the notification service', () => {
		expect(notificationOf(request)?.spec).not.toHaveProperty('channels');
	});

	it('of a block has its reason as outcome, and the execution that blocks it', () => {
		const block = { reason: 'ConsecutiveFailures', message: 'x', holder: { name: 'we-2', uid: 'u' } } as const;
		const context = notificationOf(aBlockedRequest(block))?.spec.context;
		expect(context).toMatchObject({
			cause: 'consecutive-failures',
			outcome: 'ConsecutiveFailures',
			execution: 'we-2',
		});
	});

	it('has labels within the limits of its schema, and no control characters in any text', () => {
		const labels = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`l${i}`, `${'x'.repeat(2000)}\u0007`]));
		const name = 'a\u001b[31mb\u202ec';
		const spec = notificationOf({ ...request, signal: { ...request.signal, labels, name } })?.spec;
		const kept = Object.values(spec?.context?.labels ?? {});
		expect(kept).toHaveLength(LIMITS['spec.context.labels'].maxProperties);
		expect(new Set(kept.map(({ length }) => length))).toEqual(new Set([1024]));
		expect(spec?.subject).toContain('a [31mb c on');
		expect(spec?.body).toContain('\nTarget: ');
	});

	it('of a block has its reason and its message', () => {
		const body = notificationOf(blockedBy('NoWorkflow'), { channels: ['log'] })?.spec.body;
		expect(body).toContain('State: Blocked, NoWorkflow\nWhy: why\n');
	});

	it('has one name for one cause in every replica, and another for a later request of the same name', () => {
		const name = (of: Remediation) => notificationOf(of, { channels: ['log'] })?.metadata.name;
		expect(name(request)).toBe(name({ ...request, resourceVersion: '9', failureReason: 'another message' }));
		expect(name(request)).not.toBe(name({ ...request, uid: 'uid-2' }));
		expect(name(request)).not.toBe(name({ ...request, phase: 'TimedOut' }));
	});

	const nameOfBlock = (block: Block, changes: Partial<Remediation> = {}) =>
		notificationOf(aBlockedRequest(block, changes), { channels: ['log'] })?.metadata.name;

	it('of repeated failures is named after the last failed execution, whichever request is blocked by it', () => {
		const block = { reason: 'ConsecutiveFailures', message: 'x', holder: { name: 'we-2', uid: 'u' } } as const;
		expect(nameOfBlock(block)).toMatch(/^we-2-[0-9a-f]{8}-consecutive-failures$/);
		expect(nameOfBlock(block, { name: 'rr-2', uid: 'uid-2' })).toBe(nameOfBlock(block));
		expect(nameOfBlock({ ...block, holder: { name: 'we-2', uid: 'v' } })).not.toBe(nameOfBlock(block));
	});

	it('of a second configuration error is another one, unless only numbers differ', () => {
		const nameOfError = (message: string) => nameOfBlock({ reason: 'ConfigurationError', message });
		expect(nameOfError('no label a')).not.toBe(nameOfError('no label b'));
		expect(nameOfError('we-0123456789ab-0 is forbidden: used 5')).toBe(
			nameOfError('we-ba9876543210-1 is forbidden: used 16'),
		);
	});

	it('says which one of several with the same cause it is, alike in every cluster', () => {
		const digestOf = (block: Block, changes: Partial<Remediation> = {}) =>
			notificationOf(aBlockedRequest(block, changes))?.spec.context?.causeDigest;
		const asked = (digest: string) => digestOf({ reason: 'AwaitingApproval', message: 'x', digest });
		const error = (message: string) => digestOf({ reason: 'ConfigurationError', message });
		const failedRun = (name: string) =>
			digestOf({ reason: 'ConsecutiveFailures', message: 'x', holder: { name, uid: name } });
		for (const of of [asked, error, failedRun]) {
			expect(of('a')).toMatch(/^[0-9a-f]{8}$/);
			expect(of('a')).toBe(of('a'));
			expect(of('a')).not.toBe(of('b'));
		}
		const question = { reason: 'AwaitingApproval', message: 'x', digest: 'a' } as const;
		expect(digestOf(question, { name: 'rr-2', uid: 'uid-2' })).toBe(asked('a'));
		expect(digestOf({ reason: 'NoWorkflow', message: 'x' })).toBeUndefined();
		expect(notificationOf(request)?.spec.context).not.toHaveProperty('causeDigest');
	});

	it('of another question is another one', () => {
		const asked = (digest: string, message: string) => nameOfBlock({ reason: 'AwaitingApproval', message, digest });
		expect(asked('a', 'x')).toBe(asked('a', 'y'));
		expect(asked('a', 'x')).not.toBe(asked('b', 'x'));
	});

	it('names the approver', () => {
		const approval = { decision: 'Approved', name: 'a', approver: 'on-call', verified: true } as const;
		const body = notificationOf({ ...request, approval }, { channels: ['log'] })?.spec.body;
		expect(body).toContain('\nApproved by: on-call (verified)\n');
	});

	it('is cut to what the API server accepts, at a whole character', () => {
		const name = '😀'.repeat(400);
		const long = { ...request, failureReason: '😀'.repeat(40_000), signal: { ...request.signal, name } };
		const { subject = '', body = '' } = notificationOf(long, { channels: ['log'] })?.spec ?? {};
		expect(subject.length).toBeLessThanOrEqual(LIMITS['spec.subject'].maxLength);
		expect(body.length).toBeLessThanOrEqual(LIMITS['spec.body'].maxLength);
		expect(subject.isWellFormed() && body.isWellFormed()).toBe(true);
	});
});

describe('whether a request is notified', () => {
	const nameFor = (request: Remediation) => notificationOf(request, { channels: ['log'] })?.metadata.name ?? '';
	it('depends on a notification with the name of its present cause', () => {
		const failed = inPhase('Failed');
		const blocked = blockedBy('NoWorkflow');
		const ofBlock = { name: nameFor(blocked), uid: 'n' };
		expect(isNotified(failed)).toBe(false);
		expect(isNotified({ ...failed, notifications: [ofBlock] })).toBe(false);
		expect(isNotified({ ...failed, notifications: [ofBlock, { name: nameFor(failed), uid: 'n' }] })).toBe(true);
	});

	it('is true for a state that asks for no notification', () => {
		for (const request of [inPhase('Executing'), inPhase('Skipped'), blockedBy('Paused')])
			expect(isNotified(request)).toBe(true);
	});

	it('is true when another request was notified of the same failures, and of no others', () => {
		const blocked = (uid: string, changes: Partial<Remediation> = {}) =>
			aBlockedRequest(
				{ reason: 'ConsecutiveFailures', message: 'x', holder: { name: 'we-2', uid } },
				{ uid: 'uid-2', ...changes },
			);
		const notified = blocked('u', { uid: 'uid-1', notifications: [{ name: nameFor(blocked('u')), uid: 'n' }] });
		expect(isNotified(blocked('u'))).toBe(false);
		expect(isNotified(blocked('u'), [notified])).toBe(true);
		expect(isNotified(blocked('of another'), [notified])).toBe(false);
	});

	it('is judged from its end on, or from its last block', () => {
		expect(notifiableSince(aRequest())).toBe(NOW - MINUTE);
		expect(notifiableSince(aRequest({ blockedSince: at(NOW) }))).toBe(NOW);
		expect(notifiableSince(aRequest({ blockedSince: at(NOW), completedAt: at(NOW - 5000) }))).toBe(NOW - 5000);
	});
});
