import { describe, expect, it } from 'vitest';
import type { KubeCall } from '../kube/kube.ts';
import { rejected } from '../kube/kube-errors.ts';
import { EngineFaults } from './engine-faults.ts';

const CREATE: KubeCall = { verb: 'create', path: '/apis/tekton.dev/v1/x', resource: 'pipelineruns', namespace: 'runs' };
const GET: KubeCall = { ...CREATE, verb: 'get' };
function fault(call: KubeCall, status: number, reason: string, message: string) {
	return rejected(call, status, JSON.stringify({ reason, message }), undefined, { refused: () => true });
}

/** A client that answers with what is next: an error, or a success. */
function faultsAfter(...answers: (Error | undefined)[]) {
	let now = 0;
	const needWork = new Set<string>();
	const faults = new EngineFaults(
		() => now,
		(target) => needWork.has(target),
	);
	const kube = faults.noting({
		call: async <T>() => {
			const answer = answers.shift();
			if (answer !== undefined) throw answer;
			return {} as T;
		},
	});
	return {
		faults,
		pass: (ms: number) => void (now += ms),
		call: (call = CREATE) => kube.call(call).catch(() => undefined),
		/** A pass over the target that makes one call, and leaves the target with its work when that fails. */
		async reconcile(target: string, wrap = (error: unknown) => error) {
			needWork.add(target);
			await kube.call(CREATE).then(
				() => void needWork.delete(target),
				(error: unknown) => faults.reconcileFailed(target, wrap(error)),
			);
		},
		doneByOther: (target: string) => void needWork.delete(target),
	};
}

describe('what keeps runs from being made', () => {
	it.each([
		{
			what: 'a missing right',
			it: fault(CREATE, 403, 'Forbidden', 'User "x" cannot create resource "pipelineruns" in API group'),
			want: 'the Role lacks {"apiGroups":["tekton.dev"]',
		},
		{
			what: 'a missing namespace',
			it: fault(CREATE, 404, 'NotFound', 'namespaces "runs" not found'),
			want: 'namespaces "runs" not found',
		},
		{
			what: "Tekton's webhook",
			it: fault(CREATE, 500, 'InternalError', 'failed calling webhook "webhook.pipeline.tekton.dev"'),
			want: 'failed calling webhook',
		},
	])('$what is said by readiness, until a call of the kind works', async ({ it: error, want }) => {
		const { faults, call } = faultsAfter(error, undefined);
		await call();
		expect(faults.check()).toMatchObject({ ok: false, message: expect.stringContaining(want) });
		await call();
		expect(faults.check().ok).toBe(true);
	});

	it.each([
		{ what: 'a quota', it: fault(CREATE, 403, 'Forbidden', 'exceeded quota: runs'), on: CREATE },
		{ what: 'a policy', it: fault(CREATE, 403, 'Forbidden', 'denied request: no'), on: CREATE },
		{ what: 'a run that Tekton rejects', it: fault(CREATE, 400, 'BadRequest', 'validation failed'), on: CREATE },
		{ what: 'a run that is gone', it: fault(GET, 404, 'NotFound', 'not found'), on: GET },
	])('$what says nothing about readiness', async ({ it: error, on }) => {
		const { faults, call } = faultsAfter(error);
		await call(on);
		expect(faults.check().ok).toBe(true);
	});

	it('a list that failed is forgotten when the watch has listed, and nothing else is', async () => {
		const list: KubeCall = { ...CREATE, verb: 'list' };
		const rejectedRight = (call: KubeCall) =>
			fault(call, 403, 'Forbidden', `User "x" cannot ${call.verb} resource "pipelineruns" in API group`);
		const { faults, call } = faultsAfter(rejectedRight(list), rejectedRight(CREATE));
		await call(list);
		await call(CREATE);
		faults.listed('pipelineruns');
		const { message } = faults.check();
		expect([message.includes('list pipelineruns'), message.includes('create pipelineruns')]).toEqual([false, true]);
	});

	it.each([
		{ thrown: 'it', wrap: (error: unknown) => error },
		{ thrown: 'a fault of the lock because of it', wrap: (cause: unknown) => new Error('lock', { cause }) },
	])('a fault is over when another replica has done what failed on it ($thrown was thrown)', async ({ wrap }) => {
		const { faults, reconcile, doneByOther } = faultsAfter(fault(CREATE, 503, 'ServiceUnavailable', 'away'));
		await reconcile('a', wrap);
		expect(faults.check().ok).toBe(false);
		doneByOther('a');
		expect(faults.check().ok).toBe(true);
	});

	it('a fault of several targets is over when none of them needs work, in whatever order they failed', async () => {
		const away = () => fault(CREATE, 503, 'ServiceUnavailable', 'away');
		const { faults, reconcile, doneByOther } = faultsAfter(away(), away());
		await Promise.all([reconcile('a'), reconcile('b')]);
		doneByOther('b');
		expect(faults.check().ok).toBe(false);
		doneByOther('a');
		expect(faults.check().ok).toBe(true);
	});

	it('a fault is kept while the work that met it goes on', async () => {
		const { faults, call } = faultsAfter(fault(CREATE, 503, 'ServiceUnavailable', 'away'));
		await call();
		expect(faults.check().ok).toBe(false);
	});

	it('a fault that is not met again is forgotten', async () => {
		const { faults, call, pass } = faultsAfter(fault(CREATE, 503, 'ServiceUnavailable', 'away'));
		await call();
		pass(60_000);
		expect(faults.check().ok).toBe(false);
		pass(1);
		expect(faults.check().ok).toBe(true);
	});
});
