import { describe, expect, it } from 'vitest';
import { created, IngestFixture } from '../../test/fixtures/ingest-fixture.ts';

describe('a caller that aborts', () => {
	it.each(['create', 'patch'] as const)(
		'an abort during a %s ends the wait of its caller at once; the others are answered',
		async (verb) => {
			const fixture = new IngestFixture();
			if (verb === 'patch') fixture.createdByOther();
			await fixture.sync();
			const gate = Promise.withResolvers<'answered'>();
			fixture.kube.beforeEach = () => gate.promise;
			const controller = new AbortController();
			const leaving = fixture.ingest(controller.signal);
			const staying = fixture.ingest();
			await fixture.kube.untilAsked();
			controller.abort(new Error('gone'));
			await expect(leaving).rejects.toThrow('gone');
			gate.resolve('answered');
			await expect(staying).resolves.toMatchObject({ outcome: 'duplicate' });
		},
	);

	it('an abort while another replica holds the lock ends the attempts without a timeout; the next caller begins anew', async () => {
		const fixture = new IngestFixture();
		fixture.lock.contendedFor = 1;
		const controller = new AbortController();
		fixture.lock.onWait = (abort) =>
			new Promise((resolve) => {
				abort?.addEventListener('abort', () => resolve());
				controller.abort(new Error('gone'));
			});
		await expect(fixture.ingest(controller.signal)).rejects.toThrow('gone');
		await expect(fixture.ingest()).resolves.toEqual(created);
		expect(fixture.lock.attempts).toBe(2);
		expect(fixture.retries).toEqual(['retrying after 1']);
	});

	it('a signal that was aborted before makes no call', async () => {
		const fixture = new IngestFixture();
		await expect(fixture.ingest(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
		expect(fixture.kube.requests).toEqual([]);
	});
});
