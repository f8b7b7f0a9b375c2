import { expect, it } from 'vitest';
import { aWorkflow } from '../../test/harness/made-up.ts';
import { KnownWorkflows } from './known-workflows.ts';
import type { Workflow } from './workflow.ts';

function known() {
	const heard: string[] = [];
	const workflows = new KnownWorkflows({
		specChanged: () => heard.push('spec'),
		seen: (name) => heard.push(`seen ${name}`),
	});
	const hear = (workflow: Workflow) => {
		heard.length = 0;
		workflows.changed(workflow);
		return [...heard];
	};
	return { workflows, hear, heard };
}
const version = (resourceVersion: string, changes: Partial<Workflow> = {}) => ({
	...aWorkflow('a'),
	resourceVersion,
	...changes,
});

it('a status changes nothing that decisions depend on: list and compiled expressions stay the same', () => {
	const { workflows, hear } = known();
	expect(hear(version('1'))).toEqual(['spec', 'seen a']);
	const { list } = workflows;
	const { expressions } = list[0]!;
	expect(hear(version('2'))).toEqual(['seen a']);
	expect(workflows.list).toBe(list);
	expect(workflows.get('a')).toMatchObject({ resourceVersion: '2' });
	expect(workflows.get('a')?.expressions).toBe(expressions);
});

it.each([
	{ why: 'a new generation', changes: { generation: 2 } },
	{ why: 'another workflow of the same name', changes: { uid: 'other' } },
])('$why makes a new list', ({ changes }) => {
	const { workflows, hear } = known();
	hear(version('1'));
	const { list } = workflows;
	const { expressions } = list[0]!;
	expect(hear(version('2', changes))).toEqual(['spec', 'seen a']);
	expect(workflows.list).not.toBe(list);
	expect(workflows.list[0]?.expressions).not.toBe(expressions);
});

it('a removal makes a new list', () => {
	const { workflows, hear, heard } = known();
	hear(version('1'));
	const { list } = workflows;
	heard.length = 0;
	workflows.removed(version('2'));
	expect(heard).toEqual(['spec', 'seen a']);
	expect(list).toHaveLength(1);
	expect(workflows.list).toEqual([]);
});
