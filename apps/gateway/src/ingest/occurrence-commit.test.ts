import { describe, expect, it } from 'vitest';
import { CommitRoom, counts, NAME } from '../../test/harness/commit-room.ts';
import { type Fate } from '../../test/simulation/model-kube.ts';
import { type Request } from '../../test/simulation/store-model.ts';
import { KubeError } from '../kube/kube.ts';
import { type CommitResult } from './occurrence-commit.ts';

describe('group commit', () => {
	it('all that come in one turn are one write, and each is told its own number', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const results = await Promise.all(Array.from({ length: 5 }, () => room.committer.count(link)));
		expect(counts(results)).toEqual([2, 3, 4, 5, 6]);
		expect(room.kube.verbs).toEqual(['patch']);
		expect(room.stored).toMatchObject({ count: 6 });
	});

	it('while a write is under way the next group gathers', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const gate = Promise.withResolvers<Fate>();
		room.kube.beforeEach = (_, number) => (number === 1 ? gate.promise : 'answered');
		const first = room.committer.count(link);
		await room.kube.untilAsked();
		const next = [1, 2, 3].map(() => room.committer.count(link));
		gate.resolve('answered');
		expect(counts(await Promise.all([first, ...next]))).toEqual([2, 3, 4, 5]);
		expect(room.kube.verbs).toEqual(['patch', 'patch']);
	});

	it('none is answered before it is written', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const gate = Promise.withResolvers<Fate>();
		room.kube.beforeEach = () => gate.promise;
		let answered = false;
		const result = room.committer.count(link).finally(() => (answered = true));
		for (let turn = 0; turn < 20; turn++) await Promise.resolve();
		expect(answered).toBe(false);
		gate.resolve('answered');
		await result;
	});

	it('keeps nothing when nobody waits, and tells the cache what it saw', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const result = room.committer.count(link);
		expect(room.committer.lines).toBe(1);
		await result;
		await Promise.resolve();
		expect(room.committer.lines).toBe(0);
		expect(room.seen.map(({ count }) => count)).toEqual([2]);
	});

	it('two pods at once: the second reads again, and none is lost', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const pods = [room.committer, room.committerOf('pod-2'), room.committerOf('pod-3')];
		const results = await Promise.all(pods.flatMap((pod) => [pod.count(link), pod.count(link)]));
		expect(counts(results).toSorted()).toEqual([2, 3, 4, 5, 6, 7]);
		expect(room.stored).toMatchObject({ count: 7 });
		expect(Object.keys(room.stored?.commits ?? {})).toEqual(['pod-1', 'pod-2', 'pod-3']);
	});
});

describe('who leaves', () => {
	it('before the write is not counted, and the others are', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const gate = Promise.withResolvers<Fate>();
		room.kube.beforeEach = (_, number) => (number === 1 ? gate.promise : 'answered');
		const first = room.committer.count(link);
		await room.kube.untilAsked();
		const leaving = new AbortController();
		const gone = room.committer.count(link, leaving.signal);
		const stays = room.committer.count(link, new AbortController().signal);
		leaving.abort(new Error('left'));
		await expect(gone).rejects.toThrow('left');
		gate.resolve('answered');
		expect(counts(await Promise.all([first, stays]))).toEqual([2, 3]);
	});

	it('during the write is counted: it may be done already', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const gate = Promise.withResolvers<Fate>();
		room.kube.beforeEach = () => gate.promise;
		const leaving = new AbortController();
		const result = room.committer.count(link, leaving.signal);
		await room.kube.untilAsked();
		leaving.abort(new Error('left'));
		gate.resolve('answered');
		expect(counts([await result])).toEqual([2]);
	});

	it('last leaves nothing behind, not even a write', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const leaving = new AbortController();
		const gone = room.committer.count(link, leaving.signal);
		leaving.abort(new Error('left'));
		await expect(gone).rejects.toThrow('left');
		await Promise.resolve();
		await Promise.resolve();
		expect(room.committer.lines).toBe(0);
		expect(room.kube.verbs).toEqual([]);
	});
});

describe('what others wrote meanwhile', () => {
	it('heard of before the write: it is built on, and nobody is asked', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.byAnotherPod({ count: 4, commits: { other: 'x' } });
		const current = await room.requests.get(NAME);
		room.kube.requests.length = 0;
		expect(counts([await room.committerOf('pod-1', { newer: current }).count(link)])).toEqual([5]);
		expect(room.kube.verbs).toEqual(['patch']);
	});

	it('heard of after a conflict: it is not read again', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.byAnotherPod({ count: 4, commits: { other: 'x' } });
		const current = await room.requests.get(NAME);
		room.kube.requests.length = 0;
		expect(counts([await room.committerOf('pod-1', { heard: current }).count(link)])).toEqual([5]);
		expect(room.kube.verbs).toEqual(['patch', 'patch']);
	});

	it('heard of as ended: all are told, without a call', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.byAnotherPod({ terminal: true });
		const current = await room.requests.get(NAME);
		room.kube.requests.length = 0;
		expect(counts([await room.committerOf('pod-1', { newer: current }).count(link)])).toEqual(['ended']);
		expect(room.kube.verbs).toEqual([]);
	});

	it('a conflict: whoever came since comes along, and each is told its own number', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.byAnotherPod({ count: 4, commits: { other: 'x' } });
		const later: Promise<CommitResult>[] = [];
		room.kube.beforeEach = ({ verb }) => {
			if (verb === 'get') later.push(room.committer.count(link), room.committer.count(link));
			return 'answered';
		};
		expect(counts([await room.committer.count(link), ...(await Promise.all(later))])).toEqual([5, 6, 7]);
		expect(room.kube.verbs).toEqual(['patch', 'get', 'patch']);
	});

	it('nobody joins a group whose number may have been written already', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.patchFates('lost');
		const { beforeEach } = room.kube;
		const later: Promise<CommitResult>[] = [];
		room.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') later.push(room.committer.count(link));
			return beforeEach(request, number);
		};
		expect(counts([await room.committer.count(link), ...(await Promise.all(later))])).toEqual([2, 3]);
		expect(room.kube.verbs).toEqual(['patch', 'get', 'patch', 'patch']);
	});
});

describe('a request that ends before the repetition is written', () => {
	it.each<{ name: string; end: Request; want: unknown }>([
		{
			name: 'finished',
			end: { verb: 'patch', name: NAME, status: { terminal: true } },
			want: expect.objectContaining({ terminal: true, count: 1 }),
		},
		{
			name: 'being deleted',
			end: { verb: 'delete', name: NAME, foreground: true },
			want: expect.objectContaining({ deleting: true, count: 1 }),
		},
		{ name: 'gone', end: { verb: 'delete', name: NAME }, want: undefined },
	])('$name: all of the group are told, with what was seen last', async ({ end, want }) => {
		const room = new CommitRoom();
		const link = await room.request();
		room.kube.serve(end);
		const results = await Promise.all([room.committer.count(link), room.committer.count(link)]);
		const ended = { outcome: 'ended', link: want };
		expect(results).toEqual([ended, ended]);
	});

	it('made again under the same name: it is another, and is not counted on', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.kube.serve({ verb: 'delete', name: NAME });
		room.kube.serve({ verb: 'create', name: NAME, chain: 0, token: '2' });
		const result = await room.committer.count(link);
		expect(result.outcome).toBe('ended');
		expect(result.link?.uid).toBe(room.stored?.uid);
		expect(room.stored).toMatchObject({ count: 1 });
	});

	it('a group that gathered meanwhile is told without another call', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		const gate = Promise.withResolvers<Fate>();
		room.kube.beforeEach = (_, number) => (number === 1 ? gate.promise : 'answered');
		const first = room.committer.count(link);
		await room.kube.untilAsked();
		const next = room.committer.count(link);
		room.byAnotherPod({ terminal: true });
		gate.resolve('answered');
		expect(counts(await Promise.all([first, next]))).toEqual(['ended', 'ended']);
		expect(room.kube.verbs).toEqual(['patch', 'get']);
	});
});

describe('the pods that are remembered', () => {
	it.each([
		{ others: 31, wantKept: 32 },
		{ others: 32, wantKept: 1 },
		{ others: 40, wantKept: 1 },
	])('$others others: $wantKept entries after a commit', async ({ others, wantKept }) => {
		const room = new CommitRoom();
		const link = await room.request();
		const pods = Array.from({ length: others }, (_, i) => [`old-${i}`, 'id'] as const);
		room.byAnotherPod({ commits: Object.fromEntries(pods) });
		await room.committer.count(link);
		expect(Object.keys(room.stored?.commits ?? {})).toHaveLength(wantKept);
		expect(room.stored?.commits).toHaveProperty('pod-1');
	});

	it('our own entry is replaced, not added', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		await room.committer.count(link);
		const first = room.stored?.commits['pod-1'];
		await room.committer.count(link);
		expect(Object.keys(room.stored?.commits ?? {})).toEqual(['pod-1']);
		expect(room.stored?.commits['pod-1']).not.toBe(first);
	});
});

describe('faults', () => {
	it('all of the group are told, and the next one tries again', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.kube.beforeEach = () => {
			throw new KubeError('KUBE_FORBIDDEN', 'no');
		};
		const results = await Promise.allSettled([room.committer.count(link), room.committer.count(link)]);
		expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
		await Promise.resolve();
		expect(room.committer.lines).toBe(0);
		room.kube.beforeEach = () => 'answered';
		expect(counts([await room.committer.count(link)])).toEqual([2]);
	});

	it('a request that changes under every try is given up as a conflict', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.kube.beforeEach = ({ verb }) => {
			if (verb === 'patch') room.byAnotherPod({ count: (room.stored?.count ?? 0) + 1 });
			return 'answered';
		};
		await expect(room.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_CONFLICT' });
		expect(room.patches()).toBe(20);
	});
});
