import { describe, expect, it } from 'vitest';
import { CommitterFixture, counts } from '../../test/fixtures/committer-fixture.ts';
import { FIRST } from '../../test/fixtures/sample-signal.ts';
import type { Fate } from '../../test/simulation/model-kube.ts';
import type { Request } from '../../test/simulation/store-model.ts';
import { KubeError } from '../kube/kube.ts';
import type { CommitResult } from './occurrence-commit.ts';

describe('group commit', () => {
	it('signals of one turn are counted in one write, and each gets its own number', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const results = await Promise.all(Array.from({ length: 5 }, () => fixture.committer.count(link)));
		expect(counts(results)).toEqual([2, 3, 4, 5, 6]);
		expect(fixture.kube.verbs).toEqual(['patch']);
		expect(fixture.stored).toMatchObject({ count: 6 });
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
		expect(fixture.kube.verbs).toEqual(['patch', 'patch']);
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
		expect(fixture.committer.queues).toBe(1);
		await result;
		await Promise.resolve();
		expect(fixture.committer.queues).toBe(0);
		expect(fixture.seen.map(({ count }) => count)).toEqual([2]);
	});

	it('pods that count at the same time lose no signal', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const pods = [fixture.committer, fixture.committerOf('pod-2'), fixture.committerOf('pod-3')];
		const results = await Promise.all(pods.flatMap((pod) => [pod.count(link), pod.count(link)]));
		expect(counts(results).toSorted()).toEqual([2, 3, 4, 5, 6, 7]);
		expect(fixture.stored).toMatchObject({ count: 7 });
		expect(Object.keys(fixture.stored?.commits ?? {})).toEqual(['pod-1', 'pod-2', 'pod-3']);
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
		expect(fixture.committer.queues).toBe(0);
		expect(fixture.kube.verbs).toEqual([]);
	});
});

describe('writes of other pods', () => {
	it('a newer version in the cache is counted on without a read', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.byAnotherPod({ count: 4, commits: { other: 'x' } });
		const current = await fixture.requests.get(FIRST);
		fixture.kube.requests.length = 0;
		expect(counts([await fixture.committerOf('pod-1', { before: current }).count(link)])).toEqual([5]);
		expect(fixture.kube.verbs).toEqual(['patch']);
	});

	it('after a conflict the version of the watch is used instead of a read', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.byAnotherPod({ count: 4, commits: { other: 'x' } });
		const current = await fixture.requests.get(FIRST);
		fixture.kube.requests.length = 0;
		expect(counts([await fixture.committerOf('pod-1', { after: current }).count(link)])).toEqual([5]);
		expect(fixture.kube.verbs).toEqual(['patch', 'patch']);
	});

	it('a request that has ended in the cache is not written to', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.byAnotherPod({ terminal: true });
		const current = await fixture.requests.get(FIRST);
		fixture.kube.requests.length = 0;
		expect(counts([await fixture.committerOf('pod-1', { before: current }).count(link)])).toEqual(['ended']);
		expect(fixture.kube.verbs).toEqual([]);
	});

	it('after a conflict signals that came meanwhile join the group, and each gets its own number', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.byAnotherPod({ count: 4, commits: { other: 'x' } });
		const later: Promise<CommitResult>[] = [];
		fixture.kube.beforeEach = ({ verb }) => {
			if (verb === 'get') later.push(fixture.committer.count(link), fixture.committer.count(link));
			return 'answered';
		};
		expect(counts([await fixture.committer.count(link), ...(await Promise.all(later))])).toEqual([5, 6, 7]);
		expect(fixture.kube.verbs).toEqual(['patch', 'get', 'patch']);
	});

	it('no signal joins a group whose number may have been written already', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('lost');
		const { beforeEach } = fixture.kube;
		const later: Promise<CommitResult>[] = [];
		fixture.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') later.push(fixture.committer.count(link));
			return beforeEach(request, number);
		};
		expect(counts([await fixture.committer.count(link), ...(await Promise.all(later))])).toEqual([2, 3]);
		expect(fixture.kube.verbs).toEqual(['patch', 'get', 'patch', 'patch']);
	});
});

describe('a request that ends before the duplicate is written', () => {
	it.each<{ name: string; end: Request; want: unknown }>([
		{
			name: 'finished',
			end: { verb: 'patch', name: FIRST, status: { terminal: true } },
			want: expect.objectContaining({ terminal: true, count: 1 }),
		},
		{
			name: 'being deleted',
			end: { verb: 'delete', name: FIRST, foreground: true },
			want: expect.objectContaining({ deleting: true, count: 1 }),
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
		expect(fixture.stored).toMatchObject({ count: 1 });
	});

	it('a group that formed while the request ended is answered without another call', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const gate = Promise.withResolvers<Fate>();
		fixture.kube.beforeEach = (_, number) => (number === 1 ? gate.promise : 'answered');
		const first = fixture.committer.count(link);
		await fixture.kube.untilAsked();
		const next = fixture.committer.count(link);
		fixture.byAnotherPod({ terminal: true });
		gate.resolve('answered');
		expect(counts(await Promise.all([first, next]))).toEqual(['ended', 'ended']);
		expect(fixture.kube.verbs).toEqual(['patch', 'get']);
	});
});

describe('remembered pods', () => {
	it.each([
		{ others: 31, wantKept: 32 },
		{ others: 32, wantKept: 1 },
		{ others: 40, wantKept: 1 },
	])('with $others other pods remembered, a commit leaves $wantKept entries', async ({ others, wantKept }) => {
		const { fixture, link } = await CommitterFixture.withRequest();
		const pods = Array.from({ length: others }, (_, i) => [`old-${i}`, 'id'] as const);
		fixture.byAnotherPod({ commits: Object.fromEntries(pods) });
		await fixture.committer.count(link);
		expect(Object.keys(fixture.stored?.commits ?? {})).toHaveLength(wantKept);
		expect(fixture.stored?.commits).toHaveProperty('pod-1');
	});

	it('a second commit of a pod replaces its entry', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		await fixture.committer.count(link);
		const first = fixture.stored?.commits['pod-1'];
		await fixture.committer.count(link);
		expect(Object.keys(fixture.stored?.commits ?? {})).toEqual(['pod-1']);
		expect(fixture.stored?.commits['pod-1']).not.toBe(first);
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
		expect(fixture.committer.queues).toBe(0);
		fixture.kube.beforeEach = () => 'answered';
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
	});

	it('a request that changes under every try is given up as a conflict', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.beforeEach = ({ verb }) => {
			if (verb === 'patch') fixture.byAnotherPod({ count: (fixture.stored?.count ?? 0) + 1 });
			return 'answered';
		};
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
		expect(fixture.patches()).toBe(20);
	});
});
