import { describe, expect, it } from 'vitest';
import { CommitterFixture, counts } from '../../test/fixtures/committer-fixture.ts';
import { ALERT, FIRST } from '../../test/fixtures/sample-signal.ts';
import type { Fate } from '../../test/simulation/model-kube.ts';
import type { Request } from '../../test/simulation/store-model.ts';
import { KubeError } from '../kube/kube.ts';
import type { CommitResult } from './occurrence-commit.ts';

describe('group commit', () => {
	it('signals of one turn are counted in one write, and each gets its own number', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const results = await Promise.all(Array.from({ length: 5 }, () => fixture.committer.count(link)));
		expect(counts(results)).toEqual([2, 3, 4, 5, 6]);
		expect(fixture.kube.verbs).toEqual(['adjust']);
		expect(fixture.stored).toMatchObject({ slots: { 'pod-1': 5 }, occurrenceCount: 1 });
	});

	it('signals that come during a write form the next group', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const gate = Promise.withResolvers<Fate>();
		fixture.kube.beforeEach = (_, number) => (number === 1 ? gate.promise : 'answered');
		const first = fixture.committer.count(link);
		await fixture.kube.untilAsked();
		const next = [1, 2, 3].map(() => fixture.committer.count(link));
		gate.resolve('answered');
		expect(counts(await Promise.all([first, ...next]))).toEqual([2, 3, 4, 5]);
		expect(fixture.kube.verbs).toEqual(['adjust', 'adjust']);
	});

	it('no signal is answered before its count is written', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const gate = Promise.withResolvers<Fate>();
		fixture.kube.beforeEach = () => gate.promise;
		let answered = false;
		const result = fixture.committer.count(link).finally(() => (answered = true));
		for (let turn = 0; turn < 20; turn++) await Promise.resolve();
		expect(answered).toBe(false);
		gate.resolve('answered');
		await result;
	});

	it('after the last count no queue is left, and the cache has the new version', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const result = fixture.committer.count(link);
		expect(fixture.committer.queues()).toBe(1);
		await result;
		for (let turn = 0; turn < 5; turn++) await Promise.resolve();
		expect(fixture.committer.queues()).toBe(0);
		expect(fixture.seen.map(({ slots }) => slots)).toEqual([{ 'pod-1': 1 }]);
	});

	it('pods that count at the same time lose no signal', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const pods = [fixture.committer, fixture.committerOf('pod-2'), fixture.committerOf('pod-3')];
		const results = await Promise.all(pods.flatMap((pod) => [pod.count(link), pod.count(link)]));
		expect(counts(results).toSorted()).toEqual([2, 3, 4, 5, 6, 7]);
		expect(fixture.stored?.slots).toEqual({ 'pod-1': 2, 'pod-2': 2, 'pod-3': 2 });
		expect(fixture.kube.verbs).toEqual(['adjust', 'adjust', 'adjust']); // none was refused
	});
});

describe('aborts', () => {
	it('a signal that aborts before the write is not counted, and the others are', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const gate = Promise.withResolvers<Fate>();
		fixture.kube.beforeEach = (_, number) => (number === 1 ? gate.promise : 'answered');
		const first = fixture.committer.count(link);
		await fixture.kube.untilAsked();
		const leaving = new AbortController();
		const gone = fixture.committer.count(link, leaving.signal);
		const stays = fixture.committer.count(link, new AbortController().signal);
		leaving.abort(new Error('left'));
		await expect(gone).rejects.toThrow('left');
		gate.resolve('answered');
		expect(counts(await Promise.all([first, stays]))).toEqual([2, 3]);
	});

	it('a signal that aborts during the write is counted: the write may be done already', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const gate = Promise.withResolvers<Fate>();
		fixture.kube.beforeEach = () => gate.promise;
		const leaving = new AbortController();
		const result = fixture.committer.count(link, leaving.signal);
		await fixture.kube.untilAsked();
		leaving.abort(new Error('left'));
		gate.resolve('answered');
		expect(counts([await result])).toEqual([2]);
	});

	it('when the only signal aborts, nothing is written and no queue is left', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const leaving = new AbortController();
		const gone = fixture.committer.count(link, leaving.signal);
		leaving.abort(new Error('left'));
		await expect(gone).rejects.toThrow('left');
		await Promise.resolve();
		await Promise.resolve();
		expect(fixture.committer.queues()).toBe(0);
		expect(fixture.kube.verbs).toEqual([]);
	});
});

describe('writes of other processes', () => {
	it('counts of others refuse nothing, however old the view is', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.countedByOther(3);
		const results = await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]);
		expect(counts(results)).toEqual([5, 6]);
		expect(fixture.kube.verbs).toEqual(['adjust']);
	});

	it('a lone signal settles the readable count with its own write', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		await fixture.committer.count(link);
		expect(fixture.stored).toMatchObject({ slots: { 'pod-1': 1 }, occurrenceCount: 2 });
		expect(fixture.kube.verbs).toEqual(['adjust']);
	});

	it('a lone signal is counted without the readable count when another process has just written that', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		await fixture.committerOf('pod-2').count(link);
		fixture.kube.requests.length = 0;
		expect(counts([await fixture.committer.count(link)])).toEqual([3]);
		expect(fixture.kube.verbs).toEqual(['adjust', 'get', 'adjust']);
		expect(fixture.stored).toMatchObject({ occurrenceCount: 2 });
	});

	it('a request that has ended in the cache is not written to', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.end();
		const current = await fixture.requests.get(FIRST);
		fixture.kube.requests.length = 0;
		expect(counts([await fixture.committerOf('pod-1', current).count(link)])).toEqual(['ended']);
		expect(fixture.kube.verbs).toEqual([]);
	});

	it('after a refused write signals that came meanwhile join the group, and each gets its own number', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		await fixture.committerOf('pod-2').count(link);
		fixture.kube.requests.length = 0;
		const later: Promise<CommitResult>[] = [];
		fixture.kube.beforeEach = ({ verb }) => {
			if (verb === 'get') later.push(fixture.committer.count(link), fixture.committer.count(link));
			return 'answered';
		};
		expect(counts([await fixture.committer.count(link), ...(await Promise.all(later))])).toEqual([3, 4, 5]);
		expect(fixture.kube.verbs).toEqual(['adjust', 'get', 'adjust']);
	});

	it('no signal joins a group whose number may have been written already', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const [first] = await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]);
		if (first.link === undefined) throw new Error('it was counted');
		fixture.kube.requests.length = 0;
		fixture.patchFates('lost');
		const { beforeEach } = fixture.kube;
		const later: Promise<CommitResult>[] = [];
		fixture.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') later.push(fixture.committer.count(link));
			return beforeEach(request, number);
		};
		expect(counts([await fixture.committer.count(first.link), ...(await Promise.all(later))])).toEqual([4, 5]);
		expect(fixture.kube.verbs).toEqual(['adjust', 'get', 'adjust', 'adjust']);
	});

	it('counts that older gateways kept in the readable count alone are taken over', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const old = { ...link, occurrenceCount: 57 };
		fixture.kube.store = {
			...fixture.kube.store,
			links: fixture.kube.store.links.map((each) => ({ ...each, occurrenceCount: 57 })),
		};
		expect(counts([await fixture.committer.count(old)])).toEqual([58]);
		expect(fixture.stored).toMatchObject({ base: 56, slots: { 'pod-1': 1 }, occurrenceCount: 58 });
	});
});

describe('the alerts of a request', () => {
	const [EARLIER, LATER] = ['2025-12-31T23:00:00Z', '2026-01-01T01:00:00Z'] as const;
	const OTHER = { id: 'b0b', startsAt: EARLIER } as const;

	it.each([
		{ name: 'the alert that made the request', alert: ALERT, want: {} },
		{ name: 'that alert again', alert: { ...ALERT, startsAt: LATER }, want: { [ALERT.id]: { startsAt: LATER } } },
		{ name: 'another alert', alert: OTHER, want: { b0b: { startsAt: EARLIER } } },
	])('a count of $name leaves $want', async ({ alert, want }) => {
		const { fixture, link } = await CommitterFixture.withRequest();
		await fixture.committer.countFiring(link, alert);
		expect(fixture.stored?.alerts).toEqual(want);
	});

	it('each alert of a group is followed, from its newest beginning', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const group = [OTHER, { ...OTHER, startsAt: LATER }, OTHER, { ...OTHER, id: 'c0c' }];
		const results = await Promise.all(group.map((alert) => fixture.committer.countFiring(link, alert)));
		expect(counts(results)).toEqual([2, 3, 4, 5]);
		expect(fixture.stored?.alerts).toEqual({ b0b: { startsAt: LATER }, c0c: { startsAt: EARLIER } });
	});

	it('a firing that arrives after its end is counted, and stays ended', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const ended = { startsAt: EARLIER, endsAt: LATER };
		fixture.kube.serve({ verb: 'adjust', name: FIRST, tests: {}, changes: { alerts: { b0b: ended } } });
		// The view does not know the entry: the write finds out.
		expect(counts([await fixture.committer.countFiring(link, OTHER)])).toEqual([2]);
		expect(fixture.stored?.alerts).toEqual({ b0b: ended });
		expect(fixture.patches()).toBe(2);
	});

	it.each([
		{ name: 'that is new', alert: OTHER },
		{ name: 'that begins again', alert: { ...ALERT, startsAt: '2026-01-01T02:00:00Z' } },
	])('an alert $name removes the mark of a resolved request', async ({ alert }) => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const alerts = { [ALERT.id]: { startsAt: ALERT.startsAt, endsAt: LATER } };
		fixture.kube.serve({ verb: 'adjust', name: FIRST, tests: {}, changes: { alerts, resolved: LATER } });
		expect(counts([await fixture.committer.countFiring(link, alert)])).toEqual([2]);
		expect(fixture.stored?.resolved).toBeUndefined();
		expect(fixture.stored?.alerts[alert.id]).toEqual({ startsAt: alert.startsAt });
	});
});

describe('folding', () => {
	const slots = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`old-${i}`, 1]));

	async function withSlots(count: number) {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.serve({ verb: 'adjust', name: FIRST, tests: {}, changes: { slots: slots(count) } });
		return { fixture, link };
	}

	it.each([
		{ before: 62, afterMs: 60_000, wantSlots: 63 },
		{ before: 63, afterMs: 59_999, wantSlots: 64 },
		{ before: 63, afterMs: 60_000, wantSlots: 1 },
	])('of $before slots that were idle for $afterMs ms, $wantSlots are left', async ({ before, afterMs, wantSlots }) => {
		const { fixture, link } = await withSlots(before);
		await fixture.committer.count(link);
		fixture.nowMs = afterMs;
		await fixture.committer.count((await fixture.requests.get(FIRST))!);
		await expect.poll(() => Object.keys(fixture.stored?.slots ?? {}).length).toBe(wantSlots);
		expect(fixture.total).toBe(1 + before + 2);
	});

	it('a slot that counted meanwhile is not folded, and neither is the own one', async () => {
		const { fixture, link } = await withSlots(64);
		await fixture.committer.count(link);
		fixture.nowMs = 60_000;
		fixture.countedByOther(1, 'old-3');
		await fixture.committer.count((await fixture.requests.get(FIRST))!);
		await expect.poll(() => fixture.stored?.slots).toEqual({ 'old-3': 2, 'pod-1': 2 });
		expect(fixture.total).toBe(68);
	});

	it('a process whose slot was folded begins one of another name, and no signal is deferred', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const first = await fixture.committer.count(link);
		if (first.link === undefined) throw new Error('it was counted');
		const folded = { tests: {}, changes: { slots: { 'pod-1': null }, base: 1 } };
		fixture.kube.serve({ verb: 'adjust', name: FIRST, ...folded });
		expect(counts([await fixture.committer.count(first.link)])).toEqual([3]);
		expect(fixture.stored).toMatchObject({ base: 1, slots: { 'pod-1.2': 1 } });
	});
});

describe('a request that ends before the duplicate is written', () => {
	it.each<{ name: string; end: Request; want: unknown }>([
		{
			name: 'finished',
			end: { verb: 'patch', name: FIRST, status: { terminal: true } },
			want: expect.objectContaining({ terminal: true, slots: {} }),
		},
		{
			name: 'being deleted',
			end: { verb: 'delete', name: FIRST, foreground: true },
			want: expect.objectContaining({ deleting: true, slots: {} }),
		},
		{ name: 'gone', end: { verb: 'delete', name: FIRST }, want: undefined },
	])(
		'a request that is $name is not counted on, and the whole group gets its last known state',
		async ({ end, want }) => {
			const { fixture, link } = await CommitterFixture.withRequest();
			fixture.kube.serve(end);
			const results = await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]);
			const ended = { outcome: 'ended', link: want };
			expect(results).toEqual([ended, ended]);
		},
	);

	it('a request that was created again under the same name is not counted on', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.serve({ verb: 'delete', name: FIRST });
		fixture.kube.serve({ verb: 'create', name: FIRST, chain: 0, token: '2' });
		const result = await fixture.committer.count(link);
		expect(result.outcome).toBe('ended');
		expect(result.link?.uid).toBe(fixture.stored?.uid);
		expect(fixture.total).toBe(1);
	});

	it('a group that formed while the request ended is answered without another call', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const gate = Promise.withResolvers<Fate>();
		fixture.kube.beforeEach = (_, number) => (number === 1 ? gate.promise : 'answered');
		const first = fixture.committer.count(link);
		await fixture.kube.untilAsked();
		const next = fixture.committer.count(link);
		fixture.end();
		gate.resolve('answered');
		expect(counts(await Promise.all([first, next]))).toEqual(['ended', 'ended']);
		expect(fixture.kube.verbs).toEqual(['adjust', 'get']);
	});
});

describe('faults', () => {
	it('a fault fails the whole group, and the next signal tries again', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.beforeEach = () => {
			throw new KubeError('KUBE_FORBIDDEN', 'no');
		};
		const results = await Promise.allSettled([fixture.committer.count(link), fixture.committer.count(link)]);
		expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		await Promise.resolve();
		expect(fixture.committer.queues()).toBe(0);
		fixture.kube.beforeEach = () => 'answered';
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
	});

	it('a request that cannot be counted on is given up as a conflict', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.beforeEach = ({ verb }) => {
			if (verb === 'adjust') throw new KubeError('KUBE_INVALID', 'too many slots');
			return 'answered';
		};
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
		expect(fixture.patches()).toBe(20);
	});
});
