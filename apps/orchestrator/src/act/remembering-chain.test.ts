import { describe, expect, it } from 'vitest';
import { anExecution, TARGET } from '../../test/harness/made-up.ts';
import { KnownObjects } from '../objects/known-objects.ts';
import { rememberingChain } from './remembering-chain.ts';

const links = [0, 1, 2].map((chain) => anExecution({ chain, phase: 'Completed' }));

function chainOver(answer: (typeof links)[number] | 'changed' | 'gone') {
	const known = new KnownObjects(() => {});
	const chain = rememberingChain(
		{
			getExecution: async (name) => links.find((link) => link.name === name),
			listExecutions: async () => links,
			patchExecution: async () => answer,
		},
		known,
	);
	const remembered = () => known.executions.by('target', TARGET).map(({ name }) => name);
	return { chain, remembered, known };
}

describe('what is read while a chain is walked', () => {
	it('is known afterwards, link by link', async () => {
		const { chain, remembered } = chainOver('changed');
		expect((await chain.get('we-1'))?.chain).toBe(1);
		expect(await chain.get('we-9')).toBeUndefined();
		expect(remembered()).toEqual(['we-1']);
		expect(await chain.list(TARGET)).toHaveLength(3);
		expect(remembered().toSorted()).toEqual(['we-0', 'we-1', 'we-2']);
	});

	it('is known in the version that our own write made', async () => {
		const written = anExecution({ resourceVersion: '5', successor: 'we-1' });
		const { chain, remembered } = chainOver(written);
		expect(await chain.setSuccessor(links[0] as (typeof links)[number], 'we-1')).toBe(written);
		expect(remembered()).toEqual(['we-0']);
	});

	it.each(['changed', 'gone'] as const)('an answer that is only a word (%s) is passed on', async (word) => {
		const { chain, remembered } = chainOver(word);
		expect(await chain.setSuccessor(links[0] as (typeof links)[number], 'we-1')).toBe(word);
		expect(remembered()).toEqual([]);
	});

	it('is forgotten when it is gone: the next reconcile must not start from it', async () => {
		const { chain, remembered, known } = chainOver('gone');
		for (const name of ['we-8', 'we-9']) known.executions.changed(anExecution({ name, uid: `uid-of-${name}` }));
		expect(await chain.get('we-9')).toBeUndefined();
		expect(remembered()).toEqual(['we-8']);
		await chain.setSuccessor(known.executions.get('we-8')!, 'x');
		expect(remembered()).toEqual([]);
	});
});
