import { describe, expect, it } from 'vitest';
import { CommitterFixture, counts } from '../../test/fixtures/committer-fixture.ts';

describe('an answer that was lost', () => {
	it('a count whose answer was lost is not written again when the request has its id', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('answer lost');
		expect(counts(await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]))).toEqual([2, 3]);
		expect(fixture.kube.verbs).toEqual(['patch', 'get']);
		expect(fixture.stored).toMatchObject({ count: 3 });
	});

	it('a count whose answer was lost is found by its id although other pods have written since', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
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

	it('a lost count is sent again when the version is unchanged; if the first arrives after all, it conflicts', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('lost');
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
		const [lost, , again] = fixture.kube.requests;
		expect(again).toEqual(lost);
		expect(fixture.kube.serve(lost!)).toEqual({ fault: 'KUBE_CONFLICT' });
		expect(fixture.stored).toMatchObject({ count: 2 });
	});

	it('a lost count that arrives just before its repetition is counted once', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('lost', () => {
			fixture.kube.serve(fixture.kube.requests[0]!);
			return 'answered';
		});
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
		expect(fixture.kube.verbs).toEqual(['patch', 'get', 'patch', 'get']);
		expect(fixture.stored).toMatchObject({ count: 2 });
	});

	it('a lost count is computed anew when the version moved without its id', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates(() => {
			fixture.byAnotherPod({ count: 4, commits: { other: 'x' } });
			return 'lost';
		});
		expect(counts([await fixture.committer.count(link)])).toEqual([5]);
		expect(fixture.stored).toMatchObject({ count: 5 });
	});

	it('a count whose answer was lost and whose request then ended is counted there', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('answer lost');
		const { beforeEach } = fixture.kube;
		fixture.kube.beforeEach = (request, number) => {
			if (request.verb === 'get') fixture.byAnotherPod({ terminal: true });
			return beforeEach(request, number);
		};
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
	});

	it('a count is given up after three lost answers', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.beforeEach = ({ verb }) => (verb === 'patch' ? 'lost' : 'answered');
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.patches()).toBe(3);
	});

	it('a count whose answer was lost fails when the read fails too', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.beforeEach = () => 'lost';
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.kube.verbs).toEqual(['patch', 'get']);
	});
});
