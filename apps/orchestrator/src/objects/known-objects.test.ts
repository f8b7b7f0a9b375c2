import { describe, expect, it } from 'vitest';
import { anApproval, anExecution, aRequest, aWorkflow, NOW, TARGET } from '../../test/harness/made-up.ts';
import { KnownObjects } from './known-objects.ts';

const approval = (name: string, requestUid = 'uid-1') => anApproval({ name, uid: `uid-of-${name}`, requestUid });
function known() {
	const changed: string[] = [];
	const objects = new KnownObjects((target) => changed.push(target));
	const after = (change: () => void) => {
		changed.length = 0;
		change();
		return changed;
	};
	return { objects, after };
}

describe('a target is reported as changed', () => {
	it('with every change of its requests and executions that decisions depend on', () => {
		const { objects, after } = known();
		expect(after(() => objects.requests.changed(aRequest()))).toEqual([TARGET]);
		expect(after(() => objects.requests.changed(aRequest({ resourceVersion: '2', phase: 'Failed' })))).toEqual([
			TARGET,
		]);
		expect(after(() => objects.executions.changed(anExecution()))).toEqual([TARGET]);
		expect(after(() => objects.executions.removed(anExecution()))).toEqual([TARGET]);
		expect(after(() => objects.requests.removed(aRequest({ resourceVersion: '3' })))).toEqual([TARGET]);
	});

	it('not with a change of its version alone, which is still remembered', () => {
		const { objects, after } = known();
		const request = aRequest({ notifications: [{ name: 'n', uid: 'u' }] });
		objects.requests.changed(request);
		expect(after(() => objects.requests.changed(structuredClone({ ...request, resourceVersion: '2' })))).toEqual([]);
		expect(objects.requests.get(request.name)?.resourceVersion).toBe('2');
		const another = { ...request, uid: 'uid-2', resourceVersion: '3' };
		expect(after(() => objects.requests.changed(another))).toEqual([TARGET]);
	});

	it('with an approval of one of its requests, and of no other', () => {
		const { objects, after } = known();
		objects.requests.changed(aRequest());
		expect(after(() => objects.approvals.changed(approval('a')))).toEqual([TARGET]);
		expect(after(() => objects.approvals.changed(approval('b', 'other')))).toEqual([]);
	});

	it('with every change of a workflow or of the pause switch, once, if it has an active request', () => {
		const { objects, after } = known();
		objects.requests.changed(aRequest());
		objects.requests.changed(aRequest({ name: 'rr-2', uid: 'uid-2', phase: 'Blocked' }));
		objects.requests.changed(aRequest({ name: 'rr-3', uid: 'uid-3', target: 'b/Pod/p', phase: 'Executing' }));
		objects.requests.changed(aRequest({ name: 'rr-4', uid: 'uid-4', target: 'c/Pod/p', phase: 'Completed' }));
		expect(after(() => objects.workflows.changed(aWorkflow()))).toEqual([TARGET, 'b/Pod/p']);
		const pause = { metadata: { name: 'p' }, data: { all: 'true' } };
		expect(after(() => objects.pause.changed(pause))).toEqual([TARGET, 'b/Pod/p']);
		expect(after(() => objects.pause.removed())).toEqual([TARGET, 'b/Pod/p']);
	});
});

describe('the view of a target', () => {
	it('has its own requests and executions, every workflow, and the pause switch', () => {
		const { objects } = known();
		objects.requests.changed(aRequest());
		objects.requests.changed(aRequest({ name: 'rr-2', uid: 'uid-2', target: 'b/Pod/p' }));
		objects.executions.changed(anExecution());
		objects.executions.changed(anExecution({ name: 'we-b', target: 'b/Pod/p' }));
		objects.workflows.changed(aWorkflow());
		objects.pause.replaceAll([{ metadata: { name: 'p' }, data: { targets: TARGET } }]);
		const view = objects.viewOf(TARGET, NOW);
		expect(view.requests.map(({ name }) => name)).toEqual(['rr-1']);
		expect(view.executions.map(({ name }) => name)).toEqual(['we-0']);
		expect(view.workflows.map(({ name }) => name)).toEqual(['restart']);
		expect(view.pausedBecause).toBe(`${TARGET} is paused by the ConfigMap p`);
		expect(view.now).toBe(NOW);
		expect(objects.viewOf('b/Pod/p', NOW).pausedBecause).toBeUndefined();
		objects.pause.replaceAll([]);
		expect(objects.viewOf(TARGET, NOW).pausedBecause).toBeUndefined();
	});

	it('has every approval of a request, and of no other', () => {
		const { objects } = known();
		for (const one of [approval('a'), approval('b'), approval('c', 'other')]) objects.approvals.changed(one);
		const { approvalsOf } = objects.viewOf(TARGET, NOW);
		expect(approvalsOf('uid-1').map(({ name }) => name)).toEqual(['a', 'b']);
		expect(approvalsOf('none')).toEqual([]);
	});
});
