import { describe, expect, it } from 'vitest';
import type { KubeCall, KubeClient } from '../kube/kube.ts';
import { createEventRecorder } from './event-recorder.ts';

const ABOUT = { name: 'nr-1', uid: 'uid-1' };
type Written = { metadata: { name: string }; message: string; [field: string]: unknown };

function recorder(answer: (call: KubeCall) => Promise<unknown> = async () => ({})) {
	const calls: KubeCall[] = [];
	const failures: unknown[] = [];
	const kube = {
		call(call: KubeCall) {
			calls.push(call);
			return answer(call);
		},
	} as Pick<KubeClient, 'call'>;
	const now = () => new Date('2026-11-18T12:00:00.789Z');
	const events = createEventRecorder(kube, 'ns', 'pod-a', now, (error) => failures.push(error));
	return { events, failures, calls, written: () => calls.map(({ body }) => body as Written) };
}

describe('an Event', () => {
	it('is about the NotificationRequest, in whole seconds, from this pod', async () => {
		const { events, calls, written } = recorder();
		events.record(ABOUT, 'Sent', 'delivered');
		await events.settled();
		expect(calls).toMatchObject([
			{ verb: 'create', path: '/api/v1/namespaces/ns/events', resource: 'events', namespace: 'ns' },
		]);
		expect(written()).toMatchObject([
			{
				involvedObject: { kind: 'NotificationRequest', name: 'nr-1', namespace: 'ns', uid: 'uid-1' },
				type: 'Normal',
				reason: 'Sent',
				message: 'delivered',
				reportingComponent: 'kubernaut-notification',
				reportingInstance: 'pod-a',
				firstTimestamp: '2026-11-18T12:00:00Z',
				lastTimestamp: '2026-11-18T12:00:00Z',
				count: 1,
			},
		]);
	});

	it.each(['PartiallySent', 'Failed', 'GivenUp', 'OutcomeUnknown'] as const)('%s is a warning', async (reason) => {
		const { events, written } = recorder();
		events.record(ABOUT, reason, '');
		await events.settled();
		expect(written()[0]?.['type']).toBe('Warning');
	});

	it('has a name of its own, that fits, also for a request with a long one', async () => {
		const { events, written } = recorder();
		const name = 'n'.repeat(253);
		events.record({ name, uid: 'uid-1' }, 'Sent', '');
		events.record({ name, uid: 'uid-1' }, 'Sent', '');
		await events.settled();
		const names = written().map(({ metadata }) => metadata.name);
		expect(new Set(names).size).toBe(2);
		for (const one of names) expect(one.length).toBeLessThanOrEqual(253);
	});

	it('has no more text than the API server takes, and no half characters', async () => {
		const { events, written } = recorder();
		events.record(ABOUT, 'GivenUp', `${'x'.repeat(1023)}\u{1F600}`);
		await events.settled();
		expect(written()[0]?.message).toBe(`${'x'.repeat(1023)}\uFFFD`);
	});

	it('that cannot be written is counted and dropped', async () => {
		const fault = new Error('forbidden');
		const { events, failures } = recorder(() => Promise.reject(fault));
		events.record(ABOUT, 'Sent', '');
		await events.settled();
		expect(failures).toEqual([fault]);
	});

	it('that is under way is waited for at the end', async () => {
		let answer = () => {};
		const { events } = recorder(() => new Promise((resolve) => (answer = () => resolve({}))));
		events.record(ABOUT, 'Sent', '');
		let isSettled = false;
		const settled = events.settled().then(() => (isSettled = true));
		await new Promise((resolve) => setImmediate(resolve));
		expect(isSettled).toBe(false);
		answer();
		await settled;
		expect(isSettled).toBe(true);
	});
});
