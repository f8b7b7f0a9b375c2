import { describe, expect, it } from 'vitest';
import { CommitRoom, counts } from '../../test/harness/commit-room.ts';

describe('an answer that was lost', () => {
	it('the id is there: it was done, and is not written again', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.patchFates('answer lost');
		expect(counts(await Promise.all([room.committer.count(link), room.committer.count(link)]))).toEqual([2, 3]);
		expect(room.kube.verbs).toEqual(['patch', 'get']);
		expect(room.stored).toMatchObject({ count: 3 });
	});

	it('the id is there although others have written since', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.patchFates('answer lost');
		const { beforeEach } = room.kube;
		room.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') room.byAnotherPod({ count: 5, commits: { other: 'x' } });
			return beforeEach(request, number);
		};
		await room.committer.count(link);
		expect(room.stored).toMatchObject({ count: 5 });
		expect(room.patches()).toBe(1);
	});

	it('the version is unchanged: it is sent again, and if the first arrives after all, it is refused', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.patchFates('lost');
		expect(counts([await room.committer.count(link)])).toEqual([2]);
		const [lost, , again] = room.kube.requests;
		expect(again).toEqual(lost);
		expect(room.kube.serve(lost!)).toEqual({ fault: 'KUBE_CONFLICT' });
		expect(room.stored).toMatchObject({ count: 2 });
	});

	it('the version is unchanged, and the first arrives just before the second: the id tells', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.patchFates('lost', () => {
			room.kube.serve(room.kube.requests[0]!);
			return 'answered';
		});
		expect(counts([await room.committer.count(link)])).toEqual([2]);
		expect(room.kube.verbs).toEqual(['patch', 'get', 'patch', 'get']);
		expect(room.stored).toMatchObject({ count: 2 });
	});

	it('the version moved without the id: it is computed anew', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.patchFates(() => {
			room.byAnotherPod({ count: 4, commits: { other: 'x' } });
			return 'lost';
		});
		expect(counts([await room.committer.count(link)])).toEqual([5]);
		expect(room.stored).toMatchObject({ count: 5 });
	});

	it('done, and the request ended then: it is counted there', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.patchFates('answer lost');
		const { beforeEach } = room.kube;
		room.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') room.byAnotherPod({ terminal: true });
			return beforeEach(request, number);
		};
		expect(counts([await room.committer.count(link)])).toEqual([2]);
	});

	it('nothing but lost answers: it gives up soon, for every try costs a timeout', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.kube.beforeEach = ({ verb }) => (verb === 'patch' ? 'lost' : 'answered');
		await expect(room.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(room.patches()).toBe(3);
	});

	it('looking fails as well: the fault is told', async () => {
		const room = new CommitRoom();
		const link = await room.request();
		room.kube.beforeEach = () => 'lost';
		await expect(room.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(room.kube.verbs).toEqual(['patch', 'get']);
	});
});
