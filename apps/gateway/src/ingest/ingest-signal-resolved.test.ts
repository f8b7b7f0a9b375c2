import { describe, expect, it } from 'vitest';
import { IngestFixture } from '../../test/fixtures/ingest-fixture.ts';
import { FINGERPRINT, FIRST, RESOLVED, SIGNAL } from '../../test/fixtures/sample-signal.ts';
import { finishedChain, linkOf } from '../../test/simulation/store-model.ts';
import { linkName } from '../objects/request-link.ts';

describe('resolve', () => {
	it('a resolved signal marks the active request, once', async () => {
		const fixture = await IngestFixture.withRequest();
		const want = { outcome: 'resolved', request: { name: FIRST, namespace: 'ns' } };
		await expect(fixture.resolve()).resolves.toEqual(want);
		await expect(fixture.resolve()).resolves.toEqual(want);
		expect(fixture.kube.verbs).toEqual(['adjust']);
		expect(fixture.active).toMatchObject([{ resolved: RESOLVED.resolvedTime }]);
	});

	it.each([
		{ name: 'before the problem began again', resolvedTime: '2026-01-01T00:10:00Z', firing: '2026-01-01T01:00:00Z' },
		{ name: 'when it began', resolvedTime: SIGNAL.firingTime, firing: undefined },
	])('a signal that was resolved $name marks nothing, and its answer says so', async ({ resolvedTime, firing }) => {
		const fixture = await IngestFixture.withRequest();
		if (firing !== undefined)
			fixture.kube.serve({ verb: 'adjust', name: FIRST, tests: {}, changes: { firing, slots: { other: 1 } } });
		await expect(fixture.resolve({ ...RESOLVED, resolvedTime })).resolves.toEqual({
			outcome: 'outdated',
			request: { name: FIRST, namespace: 'ns' },
			firingAgainSince: firing ?? SIGNAL.firingTime,
		});
		expect(fixture.active[0]?.resolved).toBeUndefined();
	});

	it('a resolved signal marks the request of another replica that the cache has not seen yet', async () => {
		const fixture = new IngestFixture();
		fixture.kube.store = finishedChain(1, (uid) => linkName(FINGERPRINT, uid));
		await fixture.sync();
		const [known] = fixture.kube.store.links;
		const next = linkName(FINGERPRINT, known?.uid);
		fixture.createdByOther(next, 1);
		await expect(fixture.resolve()).resolves.toMatchObject({ request: { name: next } });
	});

	it('a resolved signal finds a request under a name that another replica announced', async () => {
		const fixture = new IngestFixture();
		fixture.kube.store = finishedChain(1, (uid) => linkName(FINGERPRINT, uid));
		const announced = 'rr-c0ffee000000-ffffffffffffffff';
		fixture.kube.serve({ verb: 'patch', name: FIRST, status: { successor: announced } });
		await fixture.sync();
		fixture.createdByOther(announced, 1);
		await expect(fixture.resolve()).resolves.toMatchObject({ request: { name: announced } });
	});

	it('a resolved signal marks nothing when the request has ended', async () => {
		const fixture = await IngestFixture.withRequest();
		fixture.end();
		await expect(fixture.resolve()).resolves.toEqual({ outcome: 'resolved' });
		expect(linkOf(fixture.kube.store, FIRST)?.resolved).toBeUndefined();
	});

	it('a resolved signal and a count at the same time are both written', async () => {
		const fixture = await IngestFixture.withRequest();
		const [counted, resolved] = await Promise.all([fixture.ingest(), fixture.resolve()]);
		expect([counted.outcome, resolved.outcome]).toEqual(['duplicate', 'resolved']);
		expect(fixture.active).toMatchObject([{ slots: { 'slot-1': 1 }, resolved: RESOLVED.resolvedTime }]);
	});

	it('an abort ends the wait of a resolved signal at once', async () => {
		const fixture = await IngestFixture.withRequest();
		fixture.kube.beforeEach = () => new Promise(() => {});
		const controller = new AbortController();
		const leaving = fixture.resolve(RESOLVED, controller.signal);
		controller.abort(new Error('gone'));
		await expect(leaving).rejects.toThrow('gone');
	});
});
