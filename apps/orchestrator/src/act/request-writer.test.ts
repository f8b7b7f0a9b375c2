import { describe, expect, it } from 'vitest';
import { aBlockedRequest, aRequest } from '../../test/harness/made-up.ts';
import { notificationOf } from '../decide/notification.ts';
import type { StatusPatch } from '../decide/status-patch.ts';
import { KnownObjects } from '../objects/known-objects.ts';
import type { Remediation } from '../objects/remediation.ts';
import { createRequestWriter, type Written } from './request-writer.ts';

const PAUSED: Written = { do: 'block', block: { reason: 'Paused', message: 'all' } };

/** One request on an API server that compares versions; `meanwhile` is somebody else, at work before a patch of ours. */
function aWriter(
	stored: Remediation | undefined,
	meanwhile: (patch: number) => Partial<Remediation> | 'deleted' | void = () => {},
) {
	let current = stored;
	let patches = 0;
	const told: string[] = [];
	const written: StatusPatch[] = [];
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
				else if (change !== undefined) next(change);
				if (current === undefined) return 'gone';
				if (current.resourceVersion !== request.resourceVersion) return 'changed';
				written.push(patch);
				const refs = patch['notificationRequestRefs'] as Remediation['notifications'] | undefined;
				next(
					refs === undefined
						? { phase: 'Blocked', block: { reason: 'Paused', message: 'all' } }
						: { notifications: refs },
				);
				return current;
			},
			createNotification: async ({ metadata }) => ({ name: metadata.name, uid: 'made' }),
		},
		known,
		{ record: (_, type, reason, message) => told.push(`${type} ${reason}: ${message}`), settled: async () => {} },
		['log'],
		{ decided: (decision, detail) => told.push(`${decision} ${detail}`), told: (type) => told.push(type) },
	);
	return { writer, known, told, written, patches: () => patches };
}
const patchOf = ({ resourceVersion }: Remediation) => ({ from: resourceVersion });

describe('a decision', () => {
	it('is written, known and told once', async () => {
		const { writer, known, told, written } = aWriter(aRequest());
		const answer = await writer.write(aRequest(), patchOf, PAUSED, { lease: 'l', token: 7 });
		expect(answer?.resourceVersion).toBe('2');
		expect(known.requests.get('rr-1')).toBe(answer);
		expect(written).toEqual([{ from: '1', fencing: { lease: 'l', token: 7 } }]);
		expect(told).toEqual(['block Paused', 'Warning Paused: all']);
	});

	it('is made again from the version that the gateway left when it counted meanwhile', async () => {
		const { writer, written } = aWriter(aRequest(), (patch) => (patch <= 3 ? {} : undefined));
		await writer.write(aRequest(), patchOf, PAUSED);
		expect(written).toEqual([{ from: '4' }]);
	});

	it.each<{ why: string; change: Partial<Remediation> | 'deleted' }>([
		{ why: 'another decided', change: { phase: 'Executing' } },
		{ why: 'it is blocked for another reason', change: { block: { reason: 'NoWorkflow', message: '' } } },
		{ why: 'it was resolved', change: { resolvedAt: '2026-11-17T12:00:00Z' } },
		{ why: 'it is being deleted', change: { deleting: true } },
		{ why: 'it has another execution', change: { executionRef: { name: 'w', uid: 'w' } } },
		{ why: 'it is another of the same name', change: { uid: 'uid-2' } },
		{ why: 'it is gone', change: 'deleted' },
	])('does not hold when $why: nothing is written, nothing is told', async ({ change }) => {
		const { writer, told, written } = aWriter(aRequest(), (patch) => (patch === 1 ? change : undefined));
		expect(await writer.write(aRequest(), patchOf, PAUSED)).toBeUndefined();
		expect(written).toEqual([]);
		expect(told).toEqual([]);
	});

	it('is given up when the version never rests', async () => {
		const { writer, patches } = aWriter(aRequest(), () => ({}));
		expect(await writer.write(aRequest(), patchOf, PAUSED)).toBeUndefined();
		expect(patches()).toBe(5);
	});

	it('about what is gone forgets it', async () => {
		const { writer, known } = aWriter(aRequest(), () => 'deleted');
		await writer.write(aRequest(), patchOf, PAUSED);
		expect(known.requests.get('rr-1')).toBeUndefined();
	});
});

describe('telling', () => {
	const blocked = aBlockedRequest({ reason: 'NoWorkflow', message: 'none' });
	const name = notificationOf(blocked, ['log'])?.metadata.name;

	it('makes the notification and writes down that it is made, whatever became of the request', async () => {
		const moved: Partial<Remediation> = { phase: 'Executing', block: undefined };
		const { writer, written, told } = aWriter(blocked, (patch) => (patch === 1 ? moved : undefined));
		await writer.tell(blocked);
		expect(written).toEqual([{ notificationRequestRefs: [{ name, uid: 'made' }] }]);
		expect(told).toEqual(['Escalation']);
	});

	it('writes nothing when another did it meanwhile', async () => {
		const notifications = [{ name: name ?? '', uid: 'made' }];
		const { writer, written } = aWriter(blocked, (patch) => (patch === 1 ? { notifications } : undefined));
		await writer.tell(blocked);
		expect(written).toEqual([]);
	});

	it.each([
		{ why: 'of nothing', request: undefined },
		{ why: 'of what concerns nobody', request: aBlockedRequest({ reason: 'Paused', message: 'all' }) },
	])('$why does nothing', async ({ request }) => {
		const { writer, patches, told } = aWriter(request);
		await writer.tell(request);
		expect(patches()).toBe(0);
		expect(told).toEqual([]);
	});
});
