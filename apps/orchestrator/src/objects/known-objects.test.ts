import { describe, expect, it } from 'vitest';
import { anExecution, aRequest, aWorkflow, NOW, TARGET } from '../../test/harness/made-up.ts';
import { type Approval, KnownObjects } from './known-objects.ts';
import { readPauseSwitch } from './pause-switch.ts';

const approval = (name: string, decision: Approval['decision'], requestUid = 'uid-1'): Approval => ({
	name,
	uid: `uid-of-${name}`,
	resourceVersion: '1',
	requestUid,
	decision,
	reason: name,
});
function known() {
	const concerns: string[] = [];
	const objects = new KnownObjects((target) => concerns.push(target));
	const after = (change: () => void) => {
		concerns.length = 0;
		change();
		return concerns;
	};
	return { objects, after };
}

describe('what concerns a target', () => {
	it('is every change of its requests and executions', () => {
		const { objects, after } = known();
		expect(after(() => objects.requests.changed(aRequest()))).toEqual([TARGET]);
		expect(after(() => objects.requests.changed(aRequest({ resourceVersion: '2', phase: 'Failed' })))).toEqual([
			TARGET,
		]);
		expect(after(() => objects.executions.changed(anExecution()))).toEqual([TARGET]);
		expect(after(() => objects.executions.removed(anExecution()))).toEqual([TARGET]);
		expect(after(() => objects.requests.removed(aRequest({ resourceVersion: '3' })))).toEqual([TARGET]);
	});

	it('is a word about one of its requests, and no other', () => {
		const { objects, after } = known();
		objects.requests.changed(aRequest());
		expect(after(() => objects.approvals.changed(approval('a', 'Approved')))).toEqual([TARGET]);
		expect(after(() => objects.approvals.changed(approval('b', 'Approved', 'other')))).toEqual([]);
	});

	it('is every workflow and the pause switch, once for each target that has something to decide', () => {
		const { objects, after } = known();
		objects.requests.changed(aRequest());
		objects.requests.changed(aRequest({ name: 'rr-2', uid: 'uid-2', phase: 'Blocked' }));
		objects.requests.changed(aRequest({ name: 'rr-3', uid: 'uid-3', target: 'b/Pod/p', phase: 'Executing' }));
		objects.requests.changed(aRequest({ name: 'rr-4', uid: 'uid-4', target: 'c/Pod/p', phase: 'Completed' }));
		expect(after(() => objects.workflows.changed(aWorkflow()))).toEqual([TARGET, 'b/Pod/p']);
		const pause = readPauseSwitch({ metadata: { name: 'p' }, data: { all: 'true' } });
		expect(after(() => (objects.pause = pause))).toEqual([TARGET, 'b/Pod/p']);
	});
});

describe('the view of a target', () => {
	it('has what is about it, and what is about all', () => {
		const { objects } = known();
		objects.requests.changed(aRequest());
		objects.requests.changed(aRequest({ name: 'rr-2', uid: 'uid-2', target: 'b/Pod/p' }));
		objects.executions.changed(anExecution());
		objects.executions.changed(anExecution({ name: 'we-b', target: 'b/Pod/p' }));
		objects.workflows.changed(aWorkflow());
		objects.pause = readPauseSwitch({ metadata: { name: 'p' }, data: { targets: TARGET } });
		const view = objects.viewOf(TARGET, NOW);
		expect(view.requests.map(({ name }) => name)).toEqual(['rr-1']);
		expect(view.executions.map(({ name }) => name)).toEqual(['we-0']);
		expect(view.workflows.map(({ name }) => name)).toEqual(['restart']);
		expect(view.pausedBecause).toBe(`${TARGET} is paused by the ConfigMap p`);
		expect(view.now).toBe(NOW);
		expect(objects.viewOf('b/Pod/p', NOW).pausedBecause).toBeUndefined();
	});

	it.each([
		{ words: [], want: undefined },
		{ words: [approval('a', 'Approved')], want: 'Approved' },
		{ words: [approval('a', 'Approved'), approval('b', 'Rejected')], want: 'Rejected' },
		{ words: [approval('b', 'Rejected'), approval('a', 'Approved')], want: 'Rejected' },
		{ words: [approval('a', 'Rejected', 'other')], want: undefined },
	])('of the words $words the one that counts is $want', ({ words, want }) => {
		const { objects } = known();
		for (const word of words) objects.approvals.changed(word);
		expect(objects.viewOf(TARGET, NOW).approvalOf('uid-1')?.decision).toBe(want);
	});
});
