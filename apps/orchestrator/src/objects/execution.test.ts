import { describe, expect, it } from 'vitest';
import { pastExecution } from '../../test/harness/objects.ts';
import type { WorkflowExecutionFailureDetails } from '../generated/workflow-execution.ts';
import { toExecution } from './execution.ts';

function failed(failureDetails: WorkflowExecutionFailureDetails) {
	const metadata = {
		name: 'we-1',
		namespace: 'kubernaut-system',
		uid: 'u',
		resourceVersion: '1',
		generation: 1,
		creationTimestamp: '2026-11-17T12:00:00Z',
	};
	return toExecution({
		...pastExecution('shop/Pod/p', {}, undefined, { name: 'restart', uid: 'w', generation: 1 }),
		metadata,
		status: { phase: 'Failed', failureDetails },
	}).failure;
}

describe('a failure', () => {
	it.each<{ what: string; details: Partial<WorkflowExecutionFailureDetails>; want: string | undefined }>([
		{ what: 'its summary', details: { summary: 'short', message: 'long' }, want: 'short' },
		{ what: 'its message where there is no summary', details: { message: 'long' }, want: 'long' },
		{ what: 'no more than a request can store', details: { message: 'x'.repeat(4096) }, want: 'x'.repeat(2048) },
		{ what: 'nothing when it says nothing', details: {}, want: undefined },
	])('is kept as $what', ({ details, want }) => {
		expect(failed({ reason: 'TaskFailed', ...details })).toEqual({ reason: 'TaskFailed', why: want });
	});
});
