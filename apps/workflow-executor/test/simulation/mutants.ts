// The protocol with one ingredient missing. Each must be found out: an exploration that accepts them shows nothing.
import type { KubeCall } from '../../src/kube/kube.ts';
import type { PipelineRun } from '../../src/objects/tekton-run.ts';
import type { Mutation, Views } from './executor-process.ts';
import { EMPTY_HISTORY, firstStore } from './model.ts';
import { type Answer, serve } from './model-kube.ts';
import type { Rules } from './steps.ts';

export type Mutant = {
	readonly name: string;
	readonly mutation: Mutation;
	readonly rules?: Partial<Rules>;
	readonly wantBroken: RegExp;
};
type Operation = { readonly op: string; readonly path: string; readonly value?: unknown };

const isStart = ({ verb, resource, body }: KubeCall) =>
	verb === 'patch' &&
	resource === 'pipelineruns' &&
	(body as Operation[]).some(({ op, path }) => op === 'remove' && path === '/spec/status');
const without = (call: KubeCall, path: string): KubeCall => ({
	...call,
	body: (call.body as Operation[]).filter((operation) => !(operation.op === 'test' && operation.path === path)),
});
/** Answered from what the watches have shown, instead of by the API server. */
function fromTheViews(call: KubeCall, views: Views): Answer {
	return serve({ ...firstStore(0, true), ...views }, EMPTY_HISTORY, call).answer;
}
const isGetOf = (call: KubeCall, resource: string) => call.verb === 'get' && call.resource === resource;
function withoutDeletion<T extends PipelineRun>(run: T): T {
	if (run.spec?.status !== 'PipelineRunPending') return run;
	const { deletionTimestamp: _, ...metadata } = run.metadata;
	return { ...run, metadata };
}

export const MUTANTS: readonly Mutant[] = [
	{
		name: 'a start that does not test the uid starts the run of another execution',
		mutation: { call: (call) => (isStart(call) ? without(call, '/metadata/uid') : call) },
		rules: { executions: 2, viewsApart: false },
		wantBroken: /was started, and its execution does not run with it|started twice/,
	},
	{
		name: 'a start that does not test for pending revives a cancelled run',
		mutation: { call: (call) => (isStart(call) ? without(call, '/spec/status') : call) },
		rules: { executionDeletions: 1 },
		wantBroken: /began after its end was asked for|started twice/,
	},
	{
		name: 'ExternallyDeleted on the word of the watch',
		mutation: { call: (call, views) => (isGetOf(call, 'pipelineruns') ? fromTheViews(call, views) : call) },
		wantBroken: /ExternallyDeleted, and its run was not deleted/,
	},
	{
		name: 'a run is cleaned up on the word of the watches',
		mutation: {
			call: (call, views) =>
				views.run !== undefined && (isGetOf(call, 'pipelineruns') || isGetOf(call, 'workflowexecutions'))
					? fromTheViews(call, views)
					: call,
		},
		rules: { executions: 0, arrivals: 1 },
		wantBroken: /was cancelled, and nothing asked for it|never ended/,
	},
	{
		name: 'a run without our finalizer: deleting it frees the name while its pods run',
		mutation: {
			call: (call) => {
				if (call.verb !== 'create' || call.resource !== 'pipelineruns') return call;
				const body = call.body as { metadata: object };
				return { ...call, body: { ...body, metadata: { ...body.metadata, finalizers: [] } } };
			},
		},
		rules: { runDeletions: 1, viewsApart: false },
		wantBroken: /the name is free, and something of|its run had succeeded/,
	},
	{
		name: 'pods are not waited for',
		mutation: {
			answer: (answer, call) =>
				call.verb === 'list' && (call.resource === 'pods' || call.resource === 'taskruns')
					? { object: { items: [] } }
					: answer,
		},
		rules: { runDeletions: 1, viewsApart: false },
		wantBroken: /the name is free, and something of/,
	},
	{
		name: 'the tasks of a run that is being deleted are left to themselves',
		mutation: {
			call: (call) => (call.verb === 'patch' && call.resource === 'taskruns' ? { object: {} } : call),
		},
		rules: { runDeletions: 1, viewsApart: false },
		wantBroken: /never ended|never free|lives on/,
	},
	{
		name: 'an unclaimed run that is being deleted is adopted',
		mutation: {
			run: withoutDeletion,
			answer: (answer, call) =>
				isGetOf(call, 'pipelineruns') && 'object' in answer
					? { object: withoutDeletion(answer.object as PipelineRun) }
					: answer,
		},
		rules: { runDeletions: 1, viewsApart: false },
		wantBroken: /never ended|never free|stuck/,
	},
];
