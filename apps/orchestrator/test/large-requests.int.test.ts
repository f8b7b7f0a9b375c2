// Requests as large as the API server takes them: an orchestrator starts beside them, stays within its memory, and decides
// from their labels and annotations, also from those that its memory has no room for.
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { REMEDIATION_REQUEST_LIMITS as LIMITS } from '../src/generated/remediation-request.ts';
import { TEXT_BUDGET_BYTES } from '../src/objects/known-requests.ts';
import { openWorld, type World } from './harness/world.ts';

type Size = {
	readonly requests: number;
	readonly labels: number;
	readonly annotations: number;
};
const LARGEST = {
	labels: LIMITS['spec.signalLabels'].maxProperties,
	annotations: LIMITS['spec.signalAnnotations'].maxProperties,
};
const SIZES: readonly Size[] = [{ requests: 500, ...LARGEST }];
const LATER = 10;
const CREATED_AT_ONCE = 8;
const MAX_HEAP_BYTES = 192 * 1024 * 1024;

const text = (n: number, length: number) => `${n}.`.padEnd(length, 'x');
const texts = (count: number, length: number) =>
	Object.fromEntries(Array.from({ length: count }, (_, i) => [`text${i}`, text(i, length)]));

/** Each on a target of its own, with one short annotation that only it has. */
async function create(world: World, size: Size, from: number, to: number): Promise<RemediationRequest[]> {
	const created: RemediationRequest[] = [];
	let next = from;
	await Promise.all(
		Array.from({ length: CREATED_AT_ONCE }, async () => {
			while (next < to) {
				const n = next++;
				const options = {
					target: `shop/Pod/p${n}`,
					labels: texts(size.labels, LIMITS['spec.signalLabels.*'].maxLength),
					annotations: {
						...texts(size.annotations - 1, LIMITS['spec.signalAnnotations.*'].maxLength),
						mine: `of-p${n}`,
					},
				};
				created.push(await world.createRequest(options));
			}
		}),
	);
	return created;
}

describe.each(SIZES)('$requests active requests with $labels labels and $annotations annotations', (size) => {
	it('are executed, each with its own parameters, by one that starts beside them', async () => {
		const world = await openWorld('large', 0, {}, async (prepared) => {
			await prepared.createWorkflow('restart', {
				match: { labels: { text1: text(1, LIMITS['spec.signalLabels.*'].maxLength) } },
				parameters: { MINE: '{{ annotations.mine }}' },
			});
		});
		const requests = await create(world, size, 0, size.requests);
		const bytes = JSON.stringify(requests[0]?.spec).length;
		expect(bytes * requests.length, 'more than is kept').toBeGreaterThan(TEXT_BUDGET_BYTES);
		const startedAt = performance.now();
		const running = await world.start('orchestrator-0');
		const readyMs = Math.round(performance.now() - startedAt);
		requests.push(...(await create(world, size, size.requests, size.requests + LATER)));
		const executed = async () =>
			Object.fromEntries(
				(await world.executions()).map(({ spec }) => [spec.remediationRequestRef.uid, spec.parameters?.['MINE']]),
			);
		await expect.poll(async () => Object.keys(await executed()).length, { timeout: 200_000 }).toBe(requests.length);
		const want = requests.map(({ metadata, spec }) => [metadata.uid, `of-${spec.targetResource.name}`]);
		expect(await executed()).toEqual(Object.fromEntries(want));
		const metrics = await (await fetch(running.metricsUrl)).text();
		const sample = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
		const heap = sample('nodejs_heap_size_used_bytes');
		console.log(
			`${requests.length} requests of ${bytes} bytes: ready after ${readyMs} ms, heap ${Math.round(heap / 2 ** 20)} MiB, resident ${Math.round(sample('process_resident_memory_bytes') / 2 ** 20)} MiB`,
		);
		expect(heap).toBeLessThan(MAX_HEAP_BYTES);
	});
});
