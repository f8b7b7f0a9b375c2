// The time from the creation of a notification to the arrival of its message, by the clock of this process, which is also the
// receiver's.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '@kubernaut/control-plane';
import { percentile } from '../gateway/statistics.ts';
import { createNotification, notificationsPath, type Service } from './service.ts';

export type Round = { readonly p50: number; readonly p95: number };

const POLL_MS = 1;
const PATIENCE_MS = 30_000;
/** What follows the message (record, release) is over before the next one comes. */
const GAP_MS = 40;

/** Measures each in turn, again and again: what the machine does meanwhile meets all of them. */
export async function inTurn<K extends string>(
	measure: Readonly<Record<K, () => Promise<number>>>,
	times: number,
): Promise<Record<K, Round>> {
	const kinds = Object.keys(measure) as K[];
	const measured = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<K, number[]>;
	for (let i = 0; i < times; i++)
		for (const kind of kinds) {
			measured[kind].push(await measure[kind]());
			await delay(GAP_MS);
		}
	return Object.fromEntries(
		kinds.map((kind) => [
			kind,
			{ p50: percentile(measured[kind], 0.5), p95: percentile(measured[kind], 0.95) } satisfies Round,
		]),
	) as Record<K, Round>;
}

export async function arrival(api: KubeApi, { namespace, receivers }: Service): Promise<number> {
	const startedAt = performance.now();
	const name = await createNotification(api, namespace, ['webhook']);
	const message = await until(() => receivers.webhook.received.findLast(({ body }) => body.includes(name)), name);
	return message.at - startedAt;
}

/** One write to the API server, over a kept connection: the creation of a Lease, as the lock does it. */
export async function oneWrite(api: KubeApi, namespace: string): Promise<number> {
	const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	const startedAt = performance.now();
	const { metadata } = await api.call('POST', path, { body: { metadata: { generateName: 'bench-' } } });
	const took = performance.now() - startedAt;
	await api.call('DELETE', `${path}/${metadata.name}`);
	return took;
}

export async function untilAllFinished(api: KubeApi, namespace: string, patienceMs: number): Promise<string[]> {
	const givenUpAt = performance.now() + patienceMs;
	for (;;) {
		const { items } = await api.call('GET', notificationsPath(namespace));
		const phases = (items as { status?: { phase?: string } }[]).map(({ status }) => status?.phase ?? 'Pending');
		const isOver = phases.every((phase) => ['Sent', 'PartiallySent', 'Failed'].includes(phase));
		if (isOver || performance.now() > givenUpAt) return phases;
		await delay(250);
	}
}

async function until<T>(look: () => T | undefined, what: string): Promise<T> {
	const givenUpAt = performance.now() + PATIENCE_MS;
	for (;;) {
		const found = look();
		if (found !== undefined) return found;
		if (performance.now() > givenUpAt) throw new Error(`the message of ${what} did not arrive`);
		await delay(POLL_MS);
	}
}
