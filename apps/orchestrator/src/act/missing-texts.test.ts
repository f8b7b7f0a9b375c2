import { describe, expect, it } from 'vitest';
import { aRequest, aWorkflow, NOW, TARGET } from '../../test/harness/made-up.ts';
import { KnownObjects } from '../objects/known-objects.ts';
import type { Remediation } from '../objects/remediation.ts';
import { createTextReader } from './missing-texts.ts';

const AMPLE = 1_000_000;
const ROOM_FOR_ONE = 300;

const stored = (n: number): Remediation => {
	const request = aRequest({ name: `rr-${n}`, uid: `uid-${n}` });
	return {
		...request,
		signal: { ...request.signal, labels: { team: `team ${n}`, zone: '1' }, annotations: { a: 'b' } },
	};
};
/** The API server has these; what this replica knows of them has no texts beyond the budget. */
function aReader(requests: readonly Remediation[], budgetBytes: number, onRead = (_: number) => {}) {
	const known = new KnownObjects(() => {}, budgetBytes);
	known.workflows.changed(aWorkflow('restart', { parameters: { P: '{{ labels.team }}' } }));
	for (const request of requests) known.requests.changed(request);
	const reads: string[] = [];
	let running = 0;
	let most = 0;
	const getRequest = async (name: string) => {
		most = Math.max(most, ++running);
		reads.push(name);
		await new Promise((resolve) => setImmediate(resolve));
		onRead(reads.length);
		running--;
		return requests.find((request) => request.name === name);
	};
	const view = createTextReader({ getRequest }, known).completing(() => known.viewOf(TARGET, NOW));
	return { known, view, reads, most: () => most };
}

describe('the view of a target', () => {
	it('costs nothing while no texts are missing', async () => {
		const { view, reads } = aReader([stored(0), stored(1)], AMPLE);
		expect((await view()).requests).toHaveLength(2);
		expect(reads).toEqual([]);
	});

	it('has the texts that workflows mention of each request whose texts were left out, read once', async () => {
		const { view, reads } = aReader([stored(0), stored(1), stored(2)], ROOM_FOR_ONE);
		const { requests } = await view();
		expect(requests.map(({ signal }) => signal.labels)).toEqual([
			{ team: 'team 0', zone: '1' },
			{ team: 'team 1' },
			{ team: 'team 2' },
		]);
		expect(requests.every(({ hasTexts }) => hasTexts)).toBe(true);
		await view();
		expect(reads).toEqual(['rr-1', 'rr-2']);
	});

	it('is read again when a workflow changed, also while it was read', async () => {
		const { view, known, reads } = aReader([stored(0)], 0, (read) => {
			if (read === 1)
				known.workflows.changed({
					...aWorkflow('restart', { match: { labels: { zone: '1' } } }),
					generation: 2,
					resourceVersion: '2',
				});
		});
		expect((await view()).requests[0]?.signal.labels).toEqual({ zone: '1' });
		expect(reads).toHaveLength(2);
	});

	it('is read by few at a time', async () => {
		const all = Array.from({ length: 50 }, (_, n) => stored(n));
		const { view, reads, most } = aReader(all, 0);
		await view();
		expect(reads).toHaveLength(50);
		expect(most()).toBeLessThanOrEqual(4);
	});

	it('lacks a request that is gone', async () => {
		const gone = aRequest({ name: 'gone', uid: 'gone' });
		const { view, known } = aReader([stored(0)], AMPLE);
		known.requests.changed({ ...gone, hasTexts: false });
		expect((await view()).requests.map(({ name }) => name)).toEqual(['rr-0']);
	});

	it('does not read requests that are over', async () => {
		const { view, reads } = aReader([{ ...stored(0), phase: 'Completed' }], AMPLE);
		await view();
		expect(reads).toEqual([]);
	});

	it('is a fault when requests come faster than they are read', async () => {
		const { view, known } = aReader([stored(0)], 0, (read) =>
			known.workflows.changed({ ...aWorkflow(), generation: read + 1, resourceVersion: String(read + 1) }),
		);
		await expect(view()).rejects.toThrow('again and again');
	});
});
