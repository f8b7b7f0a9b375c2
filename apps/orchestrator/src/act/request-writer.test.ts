import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { aBlockedRequest, aRequest } from '../../test/harness/made-up.ts';
import { notificationOf } from '../decide/notification.ts';
import { KubeError } from '../kube/kube.ts';
import { KnownObjects } from '../objects/known-objects.ts';
import type { Remediation } from '../objects/remediation.ts';
import type { StatusPatch } from '../objects/request-patch.ts';
import { createRequestWriter, type Written } from './request-writer.ts';

const PAUSED: Written = { do: 'block', block: { reason: 'Paused', message: 'all' } };

const REJECTED = new KubeError('KUBE_INVALID', "422 the server's words", { status: 422 });

/** One request on an API server that tests what a patch was decided from; `meanwhile` comes before a patch of ours. */
function aWriter(
	stored: Remediation | undefined,
	meanwhile: (patch: number) => Partial<Remediation> | 'deleted' | 'rejected' | void = () => {},
) {
	let current = stored;
	let patches = 0;
	const reported: string[] = [];
	const written: StatusPatch[] = [];
	const waits: number[] = [];
	const known = new KnownObjects(() => {});
	if (stored !== undefined) known.requests.changed(stored);
	const next = (changes: Partial<Remediation>) => {
		if (current !== undefined)
			current = { ...current, ...changes, resourceVersion: `${Number(current.resourceVersion) + 1}` };
	};
	const writer = createRequestWriter(
		{
			getRequest: async () => current,
			async patchRequest(request, patch) {
				const change = meanwhile(++patches);
				if (change === 'deleted') current = undefined;
				else if (typeof change === 'object') next(change);
				if (current === undefined) return { outcome: 'gone' };
				const isTrue = current.uid === request.uid && isDeepStrictEqual(testedIn(current), testedIn(request));
				if (!isTrue || change === 'rejected') return { outcome: 'notApplied', error: REJECTED };
				written.push(patch);
				const refs = patch['notificationRequestRefs'] as Remediation['notifications'] | undefined;
				next(
					refs === undefined
						? { phase: 'Blocked', block: { reason: 'Paused', message: 'all' } }
						: { notifications: refs },
				);
				return { outcome: 'written', request: current };
			},
			createNotification: async ({ metadata }) => ({ name: metadata.name, uid: 'made' }),
		},
		known,
		{
			record: (_, type, reason, message) => reported.push(`${type} ${reason}: ${message}`),
			recordPause() {},
			settled: async () => {},
		},
		['log'],
		{ decided: (decision, detail) => reported.push(`${decision} ${detail}`), notified: (type) => reported.push(type) },
		{
			setTimer(onElapsed, delayMs) {
				waits.push(delayMs);
				queueMicrotask(onElapsed);
				return () => {};
			},
		},
	);
	return { writer, known, reported, written, waits, patches: () => patches };
}
function testedIn({ phase, block, executionRef, resolvedAt, deleting, notifications, decidedFrom }: Remediation) {
	return { phase, block, executionRef, resolvedAt, deleting, notifications, decidedFrom };
}
const patchOf = ({ resourceVersion }: Remediation) => ({ from: resourceVersion });

describe('a decision', () => {
	it('is written, remembered and reported once', async () => {
		const { writer, known, reported, written } = aWriter(aRequest());
		const answer = await writer.write(aRequest(), patchOf, PAUSED, { lease: 'l', token: 7 });
		expect(answer?.resourceVersion).toBe('2');
		expect(known.requests.get('rr-1')).toEqual(answer);
		expect(written).toEqual([{ from: '1', fencing: { lease: 'l', token: 7 } }]);
		expect(reported).toEqual(['block Paused', 'Warning Paused: all']);
	});

	it('is written whatever the gateway counted meanwhile', async () => {
		const { writer, written, patches } = aWriter(aRequest(), () => ({}));
		await writer.write(aRequest(), patchOf, PAUSED);
		expect(written).toEqual([{ from: '1' }]);
		expect(patches()).toBe(1);
	});

	it('that still holds is written on top of what changed meanwhile, after a short wait', async () => {
		const notified = (patch: number) => ({
			decidedFrom: { notificationRequestRefs: [{ name: `n${patch}`, uid: 'made' }] },
		});
		const { writer, written, waits } = aWriter(aRequest(), (patch) => (patch <= 3 ? notified(patch) : undefined));
		await writer.write(aRequest(), patchOf, PAUSED);
		expect(written).toEqual([{ from: '4' }]);
		expect(waits).toHaveLength(3);
		expect(Math.max(...waits)).toBeLessThanOrEqual(200);
	});

	it.each<{ why: string; change: Partial<Remediation> | 'deleted' }>([
		{ why: 'another decided', change: { phase: 'Executing' } },
		{ why: 'it is blocked for another reason', change: { block: { reason: 'NoWorkflow', message: '' } } },
		{ why: 'it was resolved', change: { resolvedAt: '2026-11-17T12:00:00Z' } },
		{ why: 'it is being deleted', change: { deleting: true } },
		{ why: 'it has another execution', change: { executionRef: { name: 'w', uid: 'w' } } },
		{ why: 'it is another of the same name', change: { uid: 'uid-2' } },
		{ why: 'it is gone', change: 'deleted' },
	])('does not hold when $why: nothing is written, nothing is reported', async ({ change }) => {
		const { writer, reported, written } = aWriter(aRequest(), (patch) => (patch === 1 ? change : undefined));
		expect(await writer.write(aRequest(), patchOf, PAUSED)).toBeUndefined();
		expect(written).toEqual([]);
		expect(reported).toEqual([]);
	});

	it('is given up when something else that was tested changes before every write', async () => {
		const { writer, patches } = aWriter(aRequest(), (patch) => ({ decidedFrom: { blockMessage: `${patch}` } }));
		expect(await writer.write(aRequest(), patchOf, PAUSED)).toBeUndefined();
		expect(patches()).toBe(5);
	});

	it('that the schema rejects is an error with the words of the server', async () => {
		const { writer, patches, reported } = aWriter(aRequest(), () => 'rejected');
		await expect(writer.write(aRequest(), patchOf, PAUSED)).rejects.toBe(REJECTED);
		expect(patches()).toBe(2);
		expect(reported).toEqual([]);
	});

	it('that was not applied although nothing has changed is written again', async () => {
		const { writer, patches, written } = aWriter(aRequest(), (patch) => (patch === 1 ? 'rejected' : undefined));
		await writer.write(aRequest(), patchOf, PAUSED);
		expect(patches()).toBe(2);
		expect(written).toHaveLength(1);
	});

	it('about a request that is gone forgets the request', async () => {
		const { writer, known } = aWriter(aRequest(), () => 'deleted');
		await writer.write(aRequest(), patchOf, PAUSED);
		expect(known.requests.get('rr-1')).toBeUndefined();
	});
});

describe('notifying', () => {
	const blocked = aBlockedRequest({ reason: 'NoWorkflow', message: 'none' });
	const name = notificationOf(blocked, { channels: ['log'] })?.metadata.name;

	it('creates the NotificationRequest and writes its reference, whatever became of the request', async () => {
		const moved: Partial<Remediation> = { phase: 'Executing', block: undefined };
		const { writer, written, reported } = aWriter(blocked, (patch) => (patch === 1 ? moved : undefined));
		await writer.notify(blocked);
		expect(written).toEqual([{ notificationRequestRefs: [{ name, uid: 'made' }] }]);
		expect(reported).toEqual(['Escalation']);
	});

	it('writes nothing when another replica did it meanwhile', async () => {
		const notifications = [{ name: name ?? '', uid: 'made' }];
		const { writer, written } = aWriter(blocked, (patch) => (patch === 1 ? { notifications } : undefined));
		await writer.notify(blocked);
		expect(written).toEqual([]);
	});

	it.each([
		{ why: 'of no request', request: undefined },
		{ why: 'of a state that asks for no notification', request: aBlockedRequest({ reason: 'Paused', message: 'all' }) },
	])('$why does nothing', async ({ request }) => {
		const { writer, patches, reported } = aWriter(request);
		await writer.notify(request);
		expect(patches()).toBe(0);
		expect(reported).toEqual([]);
	});
});
