import { describe, expect, it } from 'vitest';
import { CommitterFixture, counts } from '../../test/fixtures/committer-fixture.ts';
import { FIRST } from '../../test/fixtures/sample-signal.ts';
import type { RequestLink } from '../objects/request-link.ts';

/** The process has counted twice before, so that its slot has a value. */
async function withSlot(): Promise<{ fixture: CommitterFixture; link: RequestLink }> {
	const { fixture, link } = await CommitterFixture.withRequest();
	const [first] = await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]);
	fixture.kube.requests.length = 0;
	if (first.link === undefined) throw new Error('it was counted');
	return { fixture, link: first.link };
}

/** Before each read something happens. */
function beforeGet(fixture: CommitterFixture, happens: () => void): void {
	const { beforeEach } = fixture.kube;
	fixture.kube.beforeEach = (request, number) => {
		if (request.verb === 'get') happens();
		return beforeEach(request, number);
	};
}

describe('an answer that was lost', () => {
	it('a count whose answer was lost is not written again when the slot has its value', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('answer lost');
		expect(counts(await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]))).toEqual([2, 3]);
		expect(fixture.kube.verbs).toEqual(['adjust', 'get']);
		expect(fixture.stored?.slots).toEqual({ 'pod-1': 2 });
	});

	it('a count whose answer was lost is found in its slot although other processes have counted since', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('answer lost');
		beforeGet(fixture, () => fixture.countedByOther(3));
		await fixture.committer.count(link);
		expect(fixture.stored?.slots).toEqual({ other: 3, 'pod-1': 1 });
		expect(fixture.patches()).toBe(1);
	});

	it('a lost count is sent again when the slot has its old value; if the first arrives after all, it is refused', async () => {
		const { fixture, link } = await withSlot();
		fixture.patchFates('lost');
		const results = await Promise.all([fixture.committer.count(link), fixture.committer.count(link)]);
		expect(counts(results)).toEqual([4, 5]);
		const [lost, , again] = fixture.kube.requests;
		expect(again).toEqual(lost);
		expect(fixture.kube.serve(lost!)).toEqual({ fault: 'KUBE_INVALID' });
		expect(fixture.stored?.slots).toEqual({ 'pod-1': 4 });
	});

	it('a lost count that arrives just before its repetition is counted once', async () => {
		const { fixture, link } = await withSlot();
		fixture.patchFates('lost', () => {
			fixture.kube.serve(fixture.kube.requests[0]!);
			return 'answered';
		});
		expect(counts([await fixture.committer.count(link)])).toEqual([4]);
		expect(fixture.kube.verbs).toEqual(['adjust', 'get', 'adjust', 'get']);
		expect(fixture.stored?.slots).toEqual({ 'pod-1': 3 });
	});

	it('a first count without an answer and without a slot is deferred, and the next begins another slot', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('lost');
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.kube.verbs).toEqual(['adjust', 'get']);
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
		expect(fixture.stored?.slots).toEqual({ 'pod-1.2': 1 });
	});

	it('a lost count whose slot was folded meanwhile is deferred, not counted a second time', async () => {
		const { fixture, link } = await withSlot();
		fixture.patchFates('answer lost');
		const folded = { slots: { 'pod-1': null }, base: 3 };
		beforeGet(fixture, () => void fixture.kube.serve({ verb: 'adjust', name: FIRST, tests: {}, changes: folded }));
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.total).toBe(4);
	});

	it('a lost count that arrives late, and whose slot is folded before its repetition, is deferred', async () => {
		const { fixture, link } = await withSlot();
		const folded = { slots: { 'pod-1': null }, base: 3 };
		fixture.patchFates('lost', () => {
			fixture.kube.serve(fixture.kube.requests[0]!);
			fixture.kube.serve({ verb: 'adjust', name: FIRST, tests: {}, changes: folded });
			return 'answered';
		});
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.total).toBe(4);
	});

	it('a count whose answer was lost and whose request then ended is counted there', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.patchFates('answer lost');
		beforeGet(fixture, () => fixture.end());
		expect(counts([await fixture.committer.count(link)])).toEqual([2]);
	});

	it('a count is given up after three lost answers', async () => {
		const { fixture, link } = await withSlot();
		fixture.kube.beforeEach = ({ verb }) => (verb === 'adjust' ? 'lost' : 'answered');
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.patches()).toBe(3);
	});

	it('a count whose answer was lost fails when the read fails too', async () => {
		const { fixture, link } = await CommitterFixture.withRequest();
		fixture.kube.beforeEach = () => 'lost';
		await expect(fixture.committer.count(link)).rejects.toMatchObject({ code: 'KUBE_TIMEOUT' });
		expect(fixture.kube.verbs).toEqual(['adjust', 'get']);
	});
});
