// The judge of recorded histories rejects what must never happen: a judge that accepts everything proves nothing.
import type { KubeObject, StoredChange } from '@kubernaut/control-plane';
import { expect, it } from 'vitest';
import { judgeHistory, storedKinds } from './harness/run-promises.ts';

const KINDS = storedKinds('home', 'work');
let revision = 0;
const change = (key: string, object?: KubeObject): StoredChange => ({ revision: ++revision, key, object });
const done = { conditions: [{ type: 'Succeeded', status: 'True' }] };
const execution = (uid: string, run?: string) =>
	change(`${KINDS.executions}${uid}`, {
		metadata: { uid },
		status: run === undefined ? {} : { pipelineRunRef: { uid: run } },
	});
const run = (uid: string, owner: string, more: KubeObject = {}) =>
	change(`${KINDS.runs}wfe-1`, {
		metadata: { uid, name: 'wfe-1', annotations: { 'kubernaut.ai/workflow-execution-uid': owner } },
		spec: {},
		...more,
	});
const pending = { spec: { status: 'PipelineRunPending' } };
const part = (kind: 'pods' | 'taskRuns', uid: string, status: KubeObject) =>
	change(`${KINDS[kind]}of-${uid}`, {
		metadata: { labels: { 'tekton.dev/pipelineRun': 'wfe-1', 'tekton.dev/pipelineRunUID': uid } },
		status,
	});
const gone = (kind: 'pods' | 'taskRuns', uid: string) => change(`${KINDS[kind]}of-${uid}`);
const runGone = () => change(`${KINDS.runs}wfe-1`);
const life = (uid: string, owner: string) => [
	execution(owner),
	run(uid, owner, pending),
	execution(owner, uid),
	run(uid, owner),
	part('taskRuns', uid, {}),
	part('pods', uid, { phase: 'Running' }),
];
const end = (uid: string, owner: string) => [
	part('pods', uid, { phase: 'Succeeded' }),
	part('taskRuns', uid, done),
	run(uid, owner, { status: done }),
];
const removal = (uid: string) => [gone('pods', uid), gone('taskRuns', uid), runGone()];
const judged = (...changes: StoredChange[]) => judgeHistory(changes, KINDS);

it('one run after the other is what it should be', () => {
	const { broken, starts } = judged(
		...life('a', 'x'),
		...end('a', 'x'),
		...removal('a'),
		...life('b', 'y'),
		...end('b', 'y'),
	);
	expect(broken).toEqual([]);
	expect([...starts]).toEqual([
		['x', 1],
		['y', 1],
	]);
});

it('a second run that starts while a pod of the first runs is rejected', () => {
	expect(judged(...life('a', 'x'), run('a', 'x', { status: done }), runGone(), ...life('b', 'y')).broken).not.toEqual(
		[],
	);
});

it('a second run that starts while a TaskRun of the first is not done is rejected', () => {
	const first = [...life('a', 'x'), gone('pods', 'a'), run('a', 'x', { status: done }), runGone()];
	expect(judged(...first, ...life('b', 'y')).broken).not.toEqual([]);
});

it('a run that is started before its execution names it is rejected', () => {
	expect(judged(execution('x'), run('a', 'x', pending), run('a', 'x')).broken).not.toEqual([]);
});

it('a run that is started, cancelled and started again counts twice', () => {
	const cancelled = { spec: { status: 'Cancelled' } };
	expect(judged(...life('a', 'x'), run('a', 'x', cancelled), run('a', 'x')).starts.get('x')).toBe(2);
});
