import { describe, expect, it } from 'vitest';
import { anExecution, aRequest, aView, aWorkflow, CONFIG } from '../../../test/harness/made-up.ts';
import type { RemediationWorkflowMatch } from '../../generated/remediation-workflow.ts';
import type { Workflow } from '../../objects/workflow.ts';
import { decide } from '../decide.ts';
import { isSelected, selectWorkflow } from './workflow-match.ts';

const request = aRequest();
const signalled = (changes: Partial<typeof request.signal>) => ({
	...request,
	signal: { ...request.signal, ...changes },
});

describe('the criteria of a workflow', () => {
	const crash = { signalNames: ['Crash'] };
	it.each<{ match: RemediationWorkflowMatch; want: string | undefined }>([
		{ match: { ...crash, targetKinds: ['Pod', 'Deployment'] }, want: 'w' },
		{ match: { ...crash, targetKinds: ['deployment'] }, want: undefined },
		{ match: { ...crash, severities: ['warning', 'critical'] }, want: 'w' },
		{ match: { ...crash, severities: ['warning'] }, want: undefined },
		{ match: { ...crash, labels: { team: 'a' } }, want: 'w' },
		{ match: { ...crash, labels: { team: 'a', zone: '1' } }, want: undefined },
		{ match: { ...crash, labels: { team: 'b' } }, want: undefined },
		{ match: { ...crash, labels: { team: '' } }, want: undefined },
		{ match: { ...crash, labels: { none: '' } }, want: undefined }, // absent is not empty
		{ match: { ...crash, labels: { constructor: '' } }, want: undefined },
		{ match: { labels: { team: 'a' } }, want: 'w' },
		{ match: { signalNames: ['Other'], labels: { team: 'a' } }, want: undefined },
	])('$match selects: $want', ({ match, want }) => {
		const labelled = signalled({ labels: { team: 'a', empty: '' } });
		expect(selectWorkflow([aWorkflow('w', { match })], labelled)?.name).toBe(want);
	});
});

describe('of several workflows that match', () => {
	it.each([
		{ why: 'none', workflows: [], want: undefined },
		{
			why: 'the highest priority',
			workflows: [aWorkflow('a', { priority: 1 }), aWorkflow('b', { priority: 2 })],
			want: 'b',
		},
		{ why: 'the first by name', workflows: [aWorkflow('b'), aWorkflow('a'), aWorkflow('c')], want: 'a' },
		{
			why: 'by priority before name, and by match before priority',
			workflows: [
				aWorkflow('a'),
				aWorkflow('z', { priority: 1 }),
				aWorkflow('x', { priority: 9, match: { signalNames: ['X'] } }),
			],
			want: 'z',
		},
	])('the choice is $why, in whatever order they are known', ({ workflows, want }) => {
		expect(selectWorkflow(workflows, request)?.name).toBe(want);
		expect(selectWorkflow(workflows.toReversed(), request)?.name).toBe(want);
	});
});

// Each look at a target asks for the choice of all its requests, for each of them.
describe('the choice for a crowd on one target', () => {
	const REQUESTS = 1000;
	const WORKFLOWS = 100;

	function crowd() {
		let asked = 0;
		const workflows = Array.from({ length: WORKFLOWS }, (_, i): Workflow => {
			const workflow = aWorkflow(`w${i}`, { match: { signalNames: [`^Crash${i}-.*$`] } });
			const namesSignal = (name: string) => {
				asked++;
				return workflow.expressions.namesSignal(name);
			};
			const expressions = { namesSignal, patternOf: () => undefined, problems: () => [] };
			return { ...workflow, expressions: expressions as unknown as Workflow['expressions'] };
		});
		const requests = Array.from({ length: REQUESTS }, (_, i) =>
			aRequest({
				name: `rr-${i}`,
				uid: `uid-${i}`,
				phase: 'Blocked',
				signal: { ...request.signal, name: `Crash${i % WORKFLOWS}-x` },
			}),
		);
		return { workflows, requests, asked: () => asked };
	}

	it('asks each workflow once for each request, however many requests are decided', () => {
		const { workflows, requests, asked } = crowd();
		const view = aView({ requests, workflows, executions: [anExecution()] });
		const startedAt = performance.now();
		const decisions = requests.map((one) => decide(one, view, CONFIG));
		const tookMs = performance.now() - startedAt;
		expect(decisions.map((decision) => decision.do)).toEqual(Array(REQUESTS).fill('block'));
		expect(asked()).toBe(REQUESTS * WORKFLOWS);
		// A single decision is never a pause; the loop over them breathes.
		expect(tookMs / REQUESTS).toBeLessThan(5);
	});

	it('is made anew when a workflow changes, and when the request is another', () => {
		const { workflows, requests, asked } = crowd();
		const one = requests[7]!;
		expect(selectWorkflow(workflows, one)?.name).toBe('w7');
		expect(isSelected(workflows, { ...one })).toBe(true);
		expect(isSelected([...workflows], one)).toBe(false);
		expect(isSelected(workflows, { ...one, targetResource: { kind: 'Node', name: 'n' } })).toBe(false);
		expect(selectWorkflow(workflows.slice(8), one)).toBeUndefined();
		expect(asked()).toBe(WORKFLOWS + WORKFLOWS - 8);
	});
});
