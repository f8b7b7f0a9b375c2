import type { KubeObject } from '@kubernaut/control-plane';
import { describe, expect, it } from 'vitest';
import { type Change, History, hasEnded, presentState } from './history.ts';

const CART = 'shop/Deployment/cart';

function execution(type: Change['type'], name: string, phase?: string, target = CART, token = '7'): Change {
	const object: KubeObject = {
		metadata: { name, uid: `uid-${name}`, annotations: { 'kubernaut.ai/fencing-token': token } },
		spec: { targetResource: target, remediationRequestRef: { uid: 'uid-rr' }, workflowRef: { name: 'restart' } },
		...(phase === undefined ? {} : { status: { phase } }),
	};
	return { type, object };
}

function lease(type: Change['type'], resourceVersion: string, holder: string, renewed = false): Change {
	const spec = { holderIdentity: holder, acquireTime: 'then', renewTime: renewed ? 'later' : 'then' };
	const annotations = { 'kubernaut.ai/lock-key': CART };
	return { type, object: { metadata: { name: 'ro-lock-1', resourceVersion, annotations }, spec } };
}

function request(status: object): Change {
	const targetResource = { kind: 'Deployment', name: 'cart', namespace: 'shop' };
	const spec = { signalName: 'PodNotReady', targetResource };
	return { type: 'MODIFIED', object: { metadata: { name: 'rr-1', uid: 'uid-rr' }, spec, status } };
}

describe('executions of one target', () => {
	it('one after the other never meet', () => {
		const history = new History();
		history.sawExecution(execution('ADDED', 'we-a'));
		history.sawExecution(execution('MODIFIED', 'we-a', 'Running'));
		history.sawExecution(execution('MODIFIED', 'we-a', 'Completed'));
		history.sawExecution(execution('ADDED', 'we-b'));
		expect(history.overlaps).toEqual([]);
		expect(history.mostAtOnce(CART)).toBe(1);
		expect(history.executions.map(({ name, over }) => [name, over])).toEqual([
			['we-a', true],
			['we-b', false],
		]);
	});
	it('that overlap are found, whatever the last state is', () => {
		const history = new History();
		history.sawExecution(execution('ADDED', 'we-a'));
		history.sawExecution(execution('ADDED', 'we-b'));
		history.sawExecution(execution('MODIFIED', 'we-a', 'Completed'));
		history.sawExecution(execution('MODIFIED', 'we-b', 'Completed'));
		expect(history.overlaps).toEqual([`we-b had ${CART} while we-a did`]);
		expect(history.mostAtOnce(CART)).toBe(2);
	});
	it('that are deleted have it no more', () => {
		const history = new History();
		history.sawExecution(execution('ADDED', 'we-a'));
		history.sawExecution(execution('DELETED', 'we-a'));
		history.sawExecution(execution('ADDED', 'we-b'));
		expect(history.overlaps).toEqual([]);
	});
	it('on different targets do not meet', () => {
		const history = new History();
		history.sawExecution(execution('ADDED', 'we-a'));
		history.sawExecution(execution('ADDED', 'we-b', undefined, 'shop/Deployment/search'));
		expect(history.overlaps).toEqual([]);
	});
});

describe('the lock of a target', () => {
	it('is counted by acquisitions, not by renewals or removals', () => {
		const history = new History();
		history.sawLease(lease('ADDED', '7', 'pod_b-1_0123'));
		history.sawLease(lease('MODIFIED', '8', 'pod_b-1_0123', true));
		history.sawLease(lease('DELETED', '9', 'pod_b-1_0123', true));
		history.sawLease(lease('ADDED', '10', 'pod-a_4567'));
		history.sawLease(lease('MODIFIED', '11', 'pod-a_89ab'));
		expect(history.holders(CART)).toEqual([
			['pod-a', 2],
			['pod_b-1', 1],
		]);
		expect(history.targetOfLease('ro-lock-1')).toBe(CART);
	});
	it('names the pod that made an execution, whichever was seen first', () => {
		const history = new History();
		history.sawExecution(execution('ADDED', 'we-a', undefined, CART, '7'));
		expect(history.executions[0]?.madeBy).toBeUndefined();
		history.sawLease(lease('ADDED', '7', 'pod-a_4567'));
		expect(history.executions[0]?.madeBy).toBe('pod-a');
	});
	it('is not another lock in the same namespace', () => {
		const history = new History();
		const { type, object } = lease('ADDED', '7', 'pod-a_4567');
		history.sawLease({ type, object: { ...object, metadata: { ...object['metadata'], name: 'gw-lock-1' } } });
		expect(history.holders(CART)).toEqual([]);
	});
});

describe('a request', () => {
	it('goes through states; what changes without a decision is no new one', () => {
		const history = new History();
		history.sawRequest(request({}));
		history.sawRequest(request({ overallPhase: 'Blocked', blockReason: 'NoWorkflow' }));
		history.sawRequest(
			request({ overallPhase: 'Blocked', blockReason: 'NoWorkflow', notificationRequestRefs: [{ name: 'nr' }] }),
		);
		const [seen] = history.requests;
		expect(seen?.target).toBe(CART);
		expect(seen?.states.map(({ phase, reason, notifications }) => [phase, reason, notifications])).toEqual([
			['Pending', undefined, 0],
			['Blocked', 'NoWorkflow', 1],
		]);
	});
	it('says which execution blocks it and until when', () => {
		const history = new History();
		history.sawRequest(
			request({ overallPhase: 'Blocked', blockReason: 'DuplicateInProgress', duplicateOf: { name: 'rr-0' } }),
		);
		history.sawRequest(
			request({
				overallPhase: 'Blocked',
				blockReason: 'RecentlyRemediated',
				blockingWorkflowExecution: { name: 'we-a' },
				blockedUntil: '2026-01-01T10:00:03Z',
			}),
		);
		expect(history.requests[0]?.states.map(({ blockedBy, until }) => [blockedBy, until])).toEqual([
			['rr-0', undefined],
			['we-a', '2026-01-01T10:00:03Z'],
		]);
	});
	it('has ended in a terminal phase only', () => {
		const history = new History();
		history.sawRequest(request({ overallPhase: 'Executing' }));
		expect(history.requests.map(hasEnded)).toEqual([false]);
		history.sawRequest(request({ overallPhase: 'Skipped', outcome: 'RemediatedByAnother' }));
		expect(history.requests.map(hasEnded)).toEqual([true]);
		expect(history.requests.map(presentState)[0]?.outcome).toBe('RemediatedByAnother');
	});
});
