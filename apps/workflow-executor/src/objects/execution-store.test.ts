import { describe, expect, it } from 'vitest';
import { anExecution } from '../../test/harness/made-up.ts';
import { type KubeCall, KubeError } from '../kube/kube.ts';
import { CLEANUP_FINALIZER } from './execution.ts';
import { createExecutionStore } from './execution-store.ts';

/** A store whose API server gives these answers, one after the other. */
function storeThatHears(...answers: (object | KubeError)[]) {
	const calls: KubeCall[] = [];
	const call = async <T>(asked: KubeCall): Promise<T> => {
		calls.push(asked);
		const answer = answers.shift();
		if (answer === undefined || answer instanceof KubeError) throw answer ?? new Error('one call too many');
		return answer as T;
	};
	return { store: createExecutionStore({ call }, 'kubernaut-system'), calls };
}
const NOT_FOUND = new KubeError('KUBE_NOT_FOUND', 'not found', { status: 404 });
const list = (...chains: number[]) => ({ items: chains.map((chain) => ({ spec: { chain } })), metadata: {} });

it('only our finalizer is taken off, and only from the version that was read', async () => {
	const { store, calls } = storeThatHears(new KubeError('KUBE_CONFLICT', 'changed', { status: 409 }));
	const execution = anExecution({ finalizers: ['a/first', CLEANUP_FINALIZER, 'b/last'], resourceVersion: '12' });
	expect(await store.dropFinalizer(execution)).toBe('changed');
	expect(calls).toMatchObject([
		{ verb: 'patch', resource: 'workflowexecutions', contentType: 'application/merge-patch+json' },
	]);
	expect(calls[0]?.body).toEqual({
		metadata: { uid: execution.uid, resourceVersion: '12', finalizers: ['a/first', 'b/last'] },
	});
});

describe('a later link of a chain', () => {
	it('is asked for by target, on every page, from storage and not from a cache of the API server', async () => {
		const { store, calls } = storeThatHears(NOT_FOUND, { ...list(0, 1), metadata: { continue: 'next' } }, list(2));
		expect(await store.hasLater(anExecution({ chain: 1, successor: 'we-2' }))).toBe(true);
		const asked = calls.map(({ path }) => new URL(path, 'https://kubernetes').searchParams);
		expect(asked.map((query) => query.get('resourceVersion'))).toEqual([null, null, null]);
		expect(asked.map((query) => query.get('fieldSelector'))).toEqual([
			null,
			'spec.targetResource=shop/Deployment/cart',
			'spec.targetResource=shop/Deployment/cart',
		]);
		expect(asked.map((query) => query.get('continue'))).toEqual([null, '', 'next']);
	});

	it('is not there when only the link itself and earlier ones are', async () => {
		const { store } = storeThatHears(NOT_FOUND, list(0, 1));
		expect(await store.hasLater(anExecution({ chain: 1, successor: 'we-2' }))).toBe(false);
	});
});
