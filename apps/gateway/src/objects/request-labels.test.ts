import { OBJECT_LABEL_EXAMPLES } from '@kubernaut/testkit/object-label-examples';
import { expect, it } from 'vitest';
import { requestLabels } from './request-labels.ts';

it.each(OBJECT_LABEL_EXAMPLES)('the labels of a request: $why', ({ signalName, target, want }) => {
	expect(requestLabels({ name: signalName, target })).toEqual(want);
});
