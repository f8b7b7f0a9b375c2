import { describe, expect, it } from 'vitest';
import { aRequest } from '../../test/harness/made-up.ts';
import type { KubeCall } from '../kube/kube.ts';
import { createEventRecorder } from './event-recorder.ts';

/** Calls that end when the test says so. */
function aRecorder() {
	const calls: { call: KubeCall; resolve(): void; reject(error: Error): void }[] = [];
	const failures: unknown[] = [];
	const kube = {
		call: <T>(call: KubeCall) =>
			new Promise<T>((resolve, reject) => calls.push({ call, resolve: () => resolve({} as T), reject })),
	};
	const now = () => new Date('2026-11-17T12:00:00.123Z');
	const recorder = createEventRecorder(kube, 'system', 'pod-1', now, (error) => failures.push(error));
	return { recorder, calls, failures };
}
const bodyOf = (call: KubeCall | undefined) => call?.body as Record<string, unknown> & { message: string };

describe('an Event', () => {
	it('refers to its request and names this pod as its reporter', () => {
		const { recorder, calls } = aRecorder();
		recorder.record(aRequest(), 'Warning', 'NoWorkflow', 'no match');
		expect(calls[0]?.call).toMatchObject({
			verb: 'create',
			path: '/api/v1/namespaces/system/events',
			body: {
				metadata: { name: expect.stringMatching(/^rr-1\.[0-9a-f]{16}$/), namespace: 'system' },
				involvedObject: { kind: 'RemediationRequest', name: 'rr-1', namespace: 'system', uid: 'uid-1' },
				type: 'Warning',
				reason: 'NoWorkflow',
				message: 'no match',
				reportingComponent: 'kubernaut-orchestrator',
				reportingInstance: 'pod-1',
				firstTimestamp: '2026-11-17T12:00:00Z',
				lastTimestamp: '2026-11-17T12:00:00Z',
				count: 1,
			},
		});
	});

	it('is cut to what the API server accepts, at a whole character', () => {
		const { recorder, calls } = aRecorder();
		recorder.record(aRequest(), 'Normal', 'Executing', `${'x'.repeat(1023)}😀`);
		const { message } = bodyOf(calls[0]?.call);
		expect(message).toHaveLength(1024);
		expect(message.isWellFormed()).toBe(true);
	});

	it('that cannot be written is counted, and nothing else', async () => {
		const { recorder, calls, failures } = aRecorder();
		recorder.record(aRequest(), 'Normal', 'Executing', 'x');
		calls[0]?.reject(new Error('away'));
		await recorder.settled();
		expect(failures).toEqual([new Error('away')]);
	});

	it('that is under way is waited for at shutdown', async () => {
		const { recorder, calls } = aRecorder();
		recorder.record(aRequest(), 'Normal', 'Executing', 'x');
		recorder.record(aRequest(), 'Normal', 'Remediated', 'y');
		let settled = false;
		const waiting = recorder.settled().then(() => (settled = true));
		calls[0]?.resolve();
		await Promise.resolve();
		expect(settled).toBe(false);
		calls[1]?.resolve();
		await waiting;
		expect(settled).toBe(true);
		await expect(recorder.settled()).resolves.toBeUndefined();
	});
});
