// Requests, executions, workflows and views for unit tests: complete, dull, and changed in one thing at a time.
import type { RoutingConfig } from '../../src/decide/routing-config.ts';
import type { RemediationWorkflowSpec } from '../../src/generated/remediation-workflow.ts';
import type { Approval } from '../../src/objects/approval.ts';
import type { Execution } from '../../src/objects/execution.ts';
import type { Block, Remediation } from '../../src/objects/remediation.ts';
import { runIdentity } from '../../src/objects/run-identity.ts';
import type { TargetView } from '../../src/objects/target-view.ts';
import { toWorkflow, type Workflow } from '../../src/objects/workflow.ts';

export const TARGET = 'shop/Deployment/cart';
export const NOW = Date.parse('2026-11-17T12:00:00Z');
export const MINUTE = 60_000;

export const CONFIG: RoutingConfig = {
	cooldownMs: 5 * MINUTE,
	consecutiveFailures: 3,
	failureWindowMs: 60 * MINUTE,
	failureBackoffMs: 10 * MINUTE,
	deadlineMs: 240 * MINUTE,
	retentionMs: 24 * 60 * MINUTE,
	cancelResolved: true,
	approverVerified: false,
};

/** As the API server writes it. */
export function at(milliseconds: number): string {
	return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

export function aRequest(changes: Partial<Remediation> = {}): Remediation {
	return {
		name: 'rr-1',
		namespace: 'kubernaut-system',
		uid: 'uid-1',
		resourceVersion: '1',
		generation: 1,
		createdVersion: undefined,
		createdAt: at(NOW - MINUTE),
		deleting: false,
		fingerprint: `fingerprint of ${changes.uid ?? 'uid-1'}`,
		chain: 0,
		successor: undefined,
		target: TARGET,
		targetResource: { kind: 'Deployment', name: 'cart', namespace: 'shop' },
		subject: { kind: 'Pod', name: 'cart-7d4b9c-x2x8p', namespace: 'shop' },
		signal: {
			name: 'Crash',
			severity: 'critical',
			type: 'alert',
			source: 'alertmanager',
			fingerprint: 'f'.repeat(64),
			labels: {},
			annotations: {},
		},
		hasTexts: true,
		firingTime: at(NOW - 2 * MINUTE),
		receivedTime: at(NOW - MINUTE),
		resolvedAt: undefined,
		phase: undefined,
		block: undefined,
		blockedSince: undefined,
		blockingExecution: undefined,
		duplicateOf: undefined,
		approval: undefined,
		executionRef: undefined,
		notifications: [],
		outcome: undefined,
		failureReason: undefined,
		startTime: undefined,
		completedAt: undefined,
		conditions: [],
		fencingToken: undefined,
		decidedFrom: {},
		...changes,
	};
}

export function aBlockedRequest(block: Block, changes: Partial<Remediation> = {}): Remediation {
	return aRequest({
		phase: 'Blocked',
		block,
		blockedSince: at(NOW - MINUTE),
		blockingExecution: block.holder,
		duplicateOf: block.duplicateOf,
		approval: block.digest === undefined ? undefined : { digest: block.digest },
		startTime: at(NOW - MINUTE),
		...changes,
	});
}

export function anExecution(changes: Partial<Execution> = {}): Execution {
	const { chain = 0, workflowName = 'restart', target = TARGET } = changes;
	const workflowUid = `uid-of-${workflowName}`;
	return {
		name: `we-${chain}`,
		uid: `uid-of-we-${chain}`,
		resourceVersion: '1',
		createdAt: at(NOW - 30 * MINUTE),
		deleting: false,
		target,
		chain,
		successor: undefined,
		requestUid: `request-of-${chain}`,
		workflowName,
		workflowUid,
		run: runIdentity({ workflowUid, generation: 1, target, parameters: {} }),
		approval: undefined,
		fencingToken: undefined,
		timeoutMs: 10 * MINUTE,
		cooldownMs: undefined,
		phase: undefined,
		completionTime: undefined,
		hasRun: false,
		skip: undefined,
		failure: undefined,
		...changes,
	};
}

/** Of `rr-1`, without a digest. */
export function anApproval(changes: Partial<Approval> = {}): Approval {
	return {
		name: 'approval-1',
		uid: 'uid-of-approval-1',
		resourceVersion: '1',
		owners: [],
		requestUid: 'uid-1',
		digest: undefined,
		decision: 'Approved',
		reason: 'it was reviewed',
		approver: 'on-call',
		...changes,
	};
}

/** It ran, and ended so long before now. */
export function anEnd(phase: 'Completed' | 'Failed', agoMs: number, changes: Partial<Execution> = {}): Execution {
	return anExecution({ phase, hasRun: true, completionTime: at(NOW - agoMs), ...changes });
}

export function aWorkflow(name = 'restart', spec: Partial<RemediationWorkflowSpec> = {}): Workflow {
	return toWorkflow({
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'RemediationWorkflow',
		metadata: {
			name,
			namespace: 'kubernaut-system',
			uid: `uid-of-${name}`,
			resourceVersion: '1',
			generation: 1,
			creationTimestamp: at(NOW),
		},
		spec: {
			match: { signalNames: ['Crash'] },
			priority: 0,
			mode: 'Automatic',
			pipelineRef: { name: 'restart' },
			...spec,
		},
	});
}

export function aView(changes: Partial<TargetView> = {}): TargetView {
	return {
		target: TARGET,
		requests: [],
		executions: [],
		workflows: [aWorkflow()],
		approvalsOf: () => [],
		pausedBecause: undefined,
		now: NOW,
		...changes,
	};
}
