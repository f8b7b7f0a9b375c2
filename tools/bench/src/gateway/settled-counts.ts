// How many signals requests stand for. Replicas count each in a field of its own, and bring the readable total up to date
// a moment later.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';

export type Counts = {
	/** Of each request in the list. */
	readonly totals: readonly number[];
	/** Requests whose readable total is not up to date when it should be. */
	readonly unsettled: number;
};

const SETTLED_WITHIN_MS = 3000;
const POLL_MS = 50;

export async function settledCounts(api: KubeApi, path: string): Promise<Counts> {
	for (const endsAt = performance.now() + SETTLED_WITHIN_MS; ; await delay(POLL_MS)) {
		const items = (await api.call('GET', path))['items'] as KubeObject[];
		const unsettled = items.filter((item) => item['status'].deduplication.occurrenceCount !== totalOf(item)).length;
		if (unsettled === 0 || performance.now() > endsAt) return { totals: items.map(totalOf), unsettled };
	}
}

function totalOf({ status }: KubeObject): number {
	const { base, slots } = status.deduplication as { base: number; slots: Record<string, number> };
	return Object.values(slots).reduce((sum, count) => sum + count, 1 + base);
}
