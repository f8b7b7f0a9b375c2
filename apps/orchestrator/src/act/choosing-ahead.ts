// Chooses the workflow of every request of a view, and fills its parameters, before anything is decided from it. Decisions
// are made without a break, and find the results remembered; here there is a break after each piece.
import { askedRun } from '../decide/asked-run.ts';
import { answers, isSelected } from '../decide/workflow/workflow-match.ts';
import { isActive } from '../objects/remediation.ts';
import type { TargetView } from '../objects/target-view.ts';
import type { Breathe } from './breather.ts';
import type { TextReader } from './missing-texts.ts';

/** Only complete requests can be chosen for. */
export function choosingAhead(texts: TextReader, breathe: Breathe): TextReader {
	return {
		completing(viewOf) {
			const completeView = texts.completing(viewOf);
			return async () => {
				await breathe();
				const view = await completeView();
				await chooseAll(view, breathe);
				return view;
			};
		},
	};
}

async function chooseAll({ requests, workflows }: TargetView, breathe: Breathe): Promise<void> {
	for (const request of requests) {
		if (!isActive(request) || isSelected(workflows, request)) continue;
		for (const workflow of workflows) {
			answers(workflow, request);
			const breath = breathe();
			if (breath !== undefined) await breath;
		}
		askedRun(request, workflows);
		await breathe();
	}
}
