import { expect, it } from 'vitest';
import { targetCalls } from './target-calls.ts';

const CART = 'shop/Deployment/cart';
const SEARCH = 'shop/Deployment/search';
const HISTORY = {
	requests: [
		{ name: 'rr-1', uid: '1', target: CART, signal: 'PodNotReady', states: [] },
		{ name: 'rr-10', uid: '2', target: SEARCH, signal: 'PodNotReady', states: [] },
	],
	executions: [
		{
			name: 'we-1',
			target: CART,
			requestUid: '1',
			workflow: 'restart',
			madeBy: undefined,
			over: false,
			phase: 'Pending',
		},
	],
	targetOfLease: (name: string) => (name === 'ro-lock-1' ? CART : undefined),
};

it('calls belong to the target of the object that they name, or begin with', () => {
	const { byTarget, byKind } = targetCalls(
		[
			{ verb: 'create', resource: 'leases', name: 'ro-lock-1' },
			{ verb: 'get', resource: 'remediationrequests', name: 'rr-1' },
			{ verb: 'create', resource: 'workflowexecutions', name: 'we-1' },
			{ verb: 'create', resource: 'events', name: 'rr-1.0123' },
			{ verb: 'create', resource: 'notificationrequests', name: 'rr-1-0123-completed' },
			{ verb: 'create', resource: 'events', name: 'rr-10.0123' },
		],
		HISTORY,
	);
	expect([...byTarget]).toEqual([
		[CART, 5],
		[SEARCH, 1],
	]);
	expect(byKind[0]).toEqual(['create events', 2]);
});

it('what is for no target is left out', () => {
	const { byTarget, byKind } = targetCalls(
		[
			{ verb: 'update', resource: 'leases', name: 'orchestrator-replica-1' },
			{ verb: 'watch', resource: 'leases', name: 'ro-lock-1' },
			{ verb: 'list', resource: 'remediationrequests', name: '' },
		],
		HISTORY,
	);
	expect(byTarget.size).toBe(0);
	expect(byKind).toEqual([]);
});
