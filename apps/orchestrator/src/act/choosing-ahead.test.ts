import { expect, it } from 'vitest';
import { aRequest, aView, aWorkflow } from '../../test/harness/made-up.ts';
import { isSelected } from '../decide/workflow/workflow-match.ts';
import { choosingAhead } from './choosing-ahead.ts';

it('everything is chosen when a view is given, with a break after each piece', async () => {
	const workflows = [aWorkflow('a'), aWorkflow('b')];
	const requests = [
		aRequest(),
		aRequest({ uid: 'uid-2', name: 'rr-2' }),
		aRequest({ uid: 'uid-3', name: 'rr-3', phase: 'Completed', hasTexts: false }),
	];
	const view = aView({ requests, workflows });
	let breaths = 0;
	const breathe = () => {
		breaths++;
		return Promise.resolve();
	};
	const completeView = choosingAhead({ completing: (viewOf) => async () => viewOf() }, breathe).completing(() => view);
	expect(await completeView()).toBe(view);
	expect(requests.map((request) => isSelected(workflows, request))).toEqual([true, true, false]);
	expect(breaths).toBe(1 + 2 * (workflows.length + 1));
	await completeView();
	expect(breaths).toBe(2 + 2 * (workflows.length + 1));
});
