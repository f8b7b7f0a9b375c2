import { describe, expect, it } from 'vitest';
import { IngestFixture } from '../../test/fixtures/ingest-fixture.ts';
import { ALERT, FINGERPRINT, FIRST, RESOLVED, SIGNAL } from '../../test/fixtures/sample-signal.ts';
import { finishedChain, linkOf } from '../../test/simulation/store-model.ts';
import { linkName } from '../objects/request-link.ts';

describe('resolve', () => {
	it('a resolved signal marks the active request, once', async () => {
		const fixture = await IngestFixture.withRequest();
		const want = { outcome: 'resolved', request: { name: FIRST, namespace: 'ns' } };
		await expect(fixture.resolve()).resolves.toEqual({ ...want, answered: true });
		await expect(fixture.resolve()).resolves.toEqual(want);
		expect(fixture.kube.verbs).toEqual(['adjust']);
		expect(fixture.active).toMatchObject([{ resolved: RESOLVED.alert.endsAt }]);
	});

	it.each([
		{ name: 'before it began again', endsAt: '2026-01-01T00:10:00Z', again: '2026-01-01T01:00:00Z' },
		{ name: 'when it began', endsAt: ALERT.startsAt, again: undefined },
	])('an alert that was resolved $name marks nothing, and its answer says so', async ({ endsAt, again }) => {
		const fixture = await IngestFixture.withRequest();
		if (again !== undefined) fixture.entry(ALERT.id, { startsAt: again });
		await expect(fixture.resolve({ ...SIGNAL, alert: { ...ALERT, endsAt } })).resolves.toEqual({
			outcome: 'outdated',
			request: { name: FIRST, namespace: 'ns' },
			firingAgainSince: again ?? ALERT.startsAt,
			...(again !== undefined && { answered: true }), // what the cache had not seen
		});
		expect(fixture.active[0]?.resolved).toBeUndefined();
	});

	it('an alert that ends while another fires marks nothing; the last one that ends marks with the newest end', async () => {
		const fixture = await IngestFixture.withRequest();
		fixture.entry('b0b', { startsAt: ALERT.startsAt });
		await fixture.sync();
		const other = { ...SIGNAL, alert: { id: 'b0b', startsAt: ALERT.startsAt, endsAt: '2026-01-01T01:00:00Z' } };
		const request = { name: FIRST, namespace: 'ns' };
		await expect(fixture.resolve()).resolves.toEqual({ outcome: 'others-fire', request, firing: 1, answered: true });
		expect(fixture.active[0]?.resolved).toBeUndefined();
		await expect(fixture.resolve(other)).resolves.toEqual({ outcome: 'resolved', request, answered: true });
		expect(fixture.active).toMatchObject([{ resolved: RESOLVED.alert.endsAt }]);
	});

	it('two alerts that end at once, each in view of the other that fires, mark the request', async () => {
		const fixture = await IngestFixture.withRequest();
		fixture.entry('b0b', { startsAt: ALERT.startsAt });
		await fixture.sync();
		const other = { ...SIGNAL, alert: { id: 'b0b', startsAt: ALERT.startsAt, endsAt: '2026-01-01T01:00:00Z' } };
		await Promise.all([fixture.resolve(), fixture.resolve(other)]);
		expect(fixture.active).toMatchObject([{ resolved: RESOLVED.alert.endsAt }]);
	});

	it('a report that is repeated marks what the first writer did not come to mark', async () => {
		const fixture = await IngestFixture.withRequest();
		fixture.entry(ALERT.id, { startsAt: ALERT.startsAt, endsAt: RESOLVED.alert.endsAt });
		await expect(fixture.resolve()).resolves.toMatchObject({ outcome: 'resolved' });
		expect(fixture.active).toMatchObject([{ resolved: RESOLVED.alert.endsAt }]);
	});

	it('the end of an alert that was never counted is recorded, so that its late firing changes nothing', async () => {
		const fixture = await IngestFixture.withRequest();
		const late = { id: 'b0b', startsAt: ALERT.startsAt };
		const ended = { ...SIGNAL, alert: { ...late, endsAt: RESOLVED.alert.endsAt } };
		await expect(fixture.resolve(ended)).resolves.toMatchObject({ outcome: 'others-fire', firing: 1 });
		await fixture.ingest(undefined, { ...SIGNAL, alert: late });
		await expect(fixture.resolve()).resolves.toMatchObject({ outcome: 'resolved' });
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
		await expect(fixture.resolve()).resolves.toEqual({ outcome: 'resolved', answered: true });
		expect(linkOf(fixture.kube.store, FIRST)?.resolved).toBeUndefined();
	});

	it('a resolved signal and a count at the same time are both written', async () => {
		const fixture = await IngestFixture.withRequest();
		const [counted, resolved] = await Promise.all([fixture.ingest(), fixture.resolve()]);
		expect([counted.outcome, resolved.outcome]).toEqual(['duplicate', 'resolved']);
		expect(fixture.active).toMatchObject([{ slots: { 'slot-1': 1 }, resolved: RESOLVED.alert.endsAt }]);
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
