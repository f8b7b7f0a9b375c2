import { describe, expect, it } from 'vitest';
import { FINGERPRINT, FIRST, IngestRoom } from '../../test/harness/ingest-room.ts';
import { finishedChain, linkOf } from '../../test/simulation/store-model.ts';
import { linkName } from '../objects/request-link.ts';

describe('resolve', () => {
	it('marks the active request, once', async () => {
		const room = new IngestRoom();
		room.createdByOther();
		await room.sync();
		const want = { outcome: 'resolved', request: { name: FIRST, namespace: 'ns' } };
		await expect(room.resolve()).resolves.toEqual(want);
		await expect(room.resolve()).resolves.toEqual(want);
		expect(room.kube.verbs).toEqual(['patch']);
		expect(room.active).toMatchObject([{ resolved: true }]);
	});

	it('finds the request of another replica that the cache has not seen yet', async () => {
		const room = new IngestRoom();
		room.kube.store = finishedChain(1, (uid) => linkName(FINGERPRINT, uid));
		await room.sync();
		const [known] = room.kube.store.links;
		const next = linkName(FINGERPRINT, known?.uid);
		room.createdByOther(next, 1);
		await expect(room.resolve()).resolves.toMatchObject({ request: { name: next } });
	});

	it('finds it also under a name that was announced by somebody else', async () => {
		const room = new IngestRoom();
		room.kube.store = finishedChain(1, (uid) => linkName(FINGERPRINT, uid));
		const announced = 'rr-c0ffee000000-ffffffffffffffff';
		room.kube.serve({ verb: 'patch', name: FIRST, status: { successor: announced } });
		await room.sync();
		room.createdByOther(announced, 1);
		await expect(room.resolve()).resolves.toMatchObject({ request: { name: announced } });
	});

	it('has nothing to mark when the request has ended', async () => {
		const room = new IngestRoom();
		room.createdByOther();
		await room.sync();
		room.end();
		await expect(room.resolve()).resolves.toEqual({ outcome: 'resolved' });
		expect(linkOf(room.kube.store, FIRST)?.resolved).toBeUndefined();
	});

	it('and a count at once: neither gets lost on the other', async () => {
		const room = new IngestRoom();
		room.createdByOther();
		await room.sync();
		const [counted, resolved] = await Promise.all([room.ingest(), room.resolve()]);
		expect([counted.outcome, resolved.outcome]).toEqual(['duplicate', 'resolved']);
		expect(room.active).toMatchObject([{ count: 2 }]);
	});

	it('lets a caller that leaves go at once', async () => {
		const room = new IngestRoom();
		room.createdByOther();
		await room.sync();
		room.kube.beforeEach = () => new Promise(() => {});
		const controller = new AbortController();
		const leaving = room.resolve(controller.signal);
		controller.abort(new Error('gone'));
		await expect(leaving).rejects.toThrow('gone');
	});
});
