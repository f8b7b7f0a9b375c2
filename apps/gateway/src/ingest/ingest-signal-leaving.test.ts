import { describe, expect, it } from 'vitest';
import { created, IngestRoom } from '../../test/harness/ingest-room.ts';

describe('a caller that leaves', () => {
	it.each(['create', 'patch'] as const)('during a %s is let go at once; the others are answered', async (verb) => {
		const room = new IngestRoom();
		if (verb === 'patch') room.createdByOther();
		await room.sync();
		const gate = Promise.withResolvers<'answered'>();
		room.kube.beforeEach = () => gate.promise;
		const controller = new AbortController();
		const leaving = room.ingest(controller.signal);
		const staying = room.ingest();
		await room.kube.untilAsked();
		controller.abort(new Error('gone'));
		await expect(leaving).rejects.toThrow('gone');
		gate.resolve('answered');
		await expect(staying).resolves.toMatchObject({ outcome: 'duplicate' });
	});

	it('while the lock is held elsewhere ends the attempts, which is no timeout; who comes then begins anew', async () => {
		const room = new IngestRoom();
		room.lock.contendedFor = 1;
		const controller = new AbortController();
		room.lock.onWait = (signal) =>
			new Promise((resolve) => {
				signal?.addEventListener('abort', () => resolve());
				controller.abort(new Error('gone'));
			});
		await expect(room.ingest(controller.signal)).rejects.toThrow('gone');
		await expect(room.ingest()).resolves.toEqual(created);
		expect(room.lock.attempts).toBe(2);
		expect(room.retries).toEqual(['retrying after 1']);
	});

	it('before it came is not served', async () => {
		const room = new IngestRoom();
		await expect(room.ingest(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
		expect(room.kube.requests).toEqual([]);
	});
});
