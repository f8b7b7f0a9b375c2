// How many signals requests stand for. Replicas count each in a field of its own, and bring the readable total up to date
// a moment later.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';

const SETTLED_WITHIN_MS = 3000;
const POLL_MS = 50;

/** The readable total of each request in this list, once all of them are up to date; as they are when that takes too long. */
export async function settledCounts(api: KubeApi, path: string): Promise<number[]> {
	for (const endsAt = performance.now() + SETTLED_WITHIN_MS; ; await delay(POLL_MS)) {
		const items = (await api.call('GET', path))['items'] as KubeObject[];
		const settled = items.every((item) => readableTotal(item) === total(item));
		if (settled || performance.now() > endsAt) return items.map(readableTotal);
	}
}

const readableTotal = ({ status }: KubeObject) => Number(status.deduplication.occurrenceCount);

function total({ status }: KubeObject): number {
	const { base, slots } = status.deduplication as { base: number; slots: Record<string, number> };
	return Object.values(slots).reduce((sum, count) => sum + count, 1 + base);
}
