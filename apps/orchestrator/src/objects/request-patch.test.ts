import { describe, expect, it } from 'vitest';
import { aRequest } from '../../test/harness/made-up.ts';
import { requestPatch } from './request-patch.ts';

const request = aRequest({ uid: 'u', decidedFrom: { overallPhase: 'Blocked', notificationRequestRefs: [] } });

describe('the patch of a status', () => {
	it('tests who it is, that it is not being deleted, and every field that decisions are made from', () => {
		const tests = requestPatch(request, {}).map((operation) => ('value' in operation ? operation : undefined));
		expect(tests.map((test) => [test?.op, test?.path, test?.value])).toEqual([
			['test', '/metadata/uid', 'u'],
			['test', '/metadata/deletionTimestamp', null],
			['test', '/status/overallPhase', 'Blocked'],
			['test', '/status/blockReason', null],
			['test', '/status/blockMessage', null],
			['test', '/status/blockedUntil', null],
			['test', '/status/blockingWorkflowExecution', null],
			['test', '/status/duplicateOf', null],
			['test', '/status/approval', null],
			['test', '/status/workflowExecutionRef', null],
			['test', '/status/signalResolvedAt', null],
			['test', '/status/notificationRequestRefs', []],
		]);
	});

	it('writes fields whole, and removes those that are null, whether they are there or not', () => {
		const writes = requestPatch(request, { outcome: 'Remediated', failureReason: null });
		expect(writes.filter(({ op }) => op !== 'test')).toEqual([
			{ op: 'add', path: '/status/outcome', value: 'Remediated' },
			{ op: 'add', path: '/status/failureReason', value: null },
			{ op: 'remove', path: '/status/failureReason' },
		]);
	});
});
