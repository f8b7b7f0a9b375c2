import { OBJECT_LABEL_EXAMPLES } from '@kubernaut/testkit/object-label-examples';
import { expect, it } from 'vitest';
import { aRequest } from '../../test/harness/made-up.ts';
import { executionLabels } from './new-execution.ts';

it.each(OBJECT_LABEL_EXAMPLES)('the labels of an execution: $why', ({ signalName, target, want }) => {
	const request = aRequest({ targetResource: target });
	const named = { ...request, signal: { ...request.signal, name: signalName } };
	expect(executionLabels(named, 'restart')).toEqual({ ...want, 'kubernaut.ai/workflow': 'restart' });
});

it('the name of a workflow that is no label value is hashed', () => {
	const labels = executionLabels(aRequest(), `restart-${'x'.repeat(56)}`);
	expect(labels['kubernaut.ai/workflow']).toMatch(/^sha256-[0-9a-f]{32}$/);
});
