import { describe, expect, it } from 'vitest';
import { CommitterFixture, counts } from '../../test/harness/committer-fixture.ts';

describe('an answer that was lost', () => {
	it('the id is there: it was done, and is not written again', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.patchFates('answer lost');
		expect(counts(await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]))).toEqual([2, 3]);
		expect(fixture.kube.verbs).toEqual(['patch', 'get']);
		expect(fixture.stored).toMatchObject({ count: 3 });
	});

	it('the id is there although others have written since', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.patchFates('answer lost');
		const { beforeEach } = fixture.kube;
		fixture.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') fixture.byAnotherPod({ count: 5, commits: { other: 'x' } });
			return beforeEach(request, number);
		};
		await fixture.committer.count(link);
		expect(fixture.stored).toMatchObject({ count: 5 });
		expect(fixture.patches()).toBe(1);
	});

	it('the version is unchanged: it is sent again, and if the first arrives after all, it is refused', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.patchFates('lost');
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
		const [lost, , again] = fixture.kube.requests;
		expect(again).toEqual(lost);
		expect(fixture.kube.serve(lost!)).toEqual({ fault: 'KUBE_CONFLICT' });
		expect(fixture.stored).toMatchObject({ count: 2 });
	});

	it('the version is unchanged, and the first arrives just before the second: the id tells', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.patchFates('lost', () => {
			fixture.kube.serve(fixture.kube.requests[0]!);
			return 'answered';
		});
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
		expect(fixture.kube.verbs).toEqual(['patch', 'get', 'patch', 'get']);
		expect(fixture.stored).toMatchObject({ count: 2 });
	});

	it('the version moved without the id: it is computed anew', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.patchFates(() => {
			fixture.byAnotherPod({ count: 4, commits: { other: 'x' } });
			return 'lost';
		});
		expect(counts([await fixture.committer.count(link)])).toEqual([5]);
		expect(fixture.stored).toMatchObject({ count: 5 });
	});

	it('done, and the request ended then: it is counted there', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.patchFates('answer lost');
		const { beforeEach } = fixture.kube;
		fixture.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') fixture.byAnotherPod({ terminal: true });
			return beforeEach(request, number);
		};
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
	});

	it('nothing but lost answers: it gives up soon, for every try costs a timeout', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.kube.beforeEach = ({ verb }) => (verb === 'patch' ? 'lost' : 'answered');
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.patches()).toBe(3);
	});

	it('looking fails as well: the fault is told', async () => {
		const fixture = new CommitterFixture();
		const link = await fixture.request();
		fixture.kube.beforeEach = () => 'lost';
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.kube.verbs).toEqual(['patch', 'get']);
	});
});
